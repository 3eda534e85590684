import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createEventsClient, httpTransport, type EventsClient } from '../../src/client.js';
import type { EventsOptions } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { createProxy, type Proxy } from '../engines/support/proxy.js';
import { openEvents, type EventsApi } from './events-api.js';
import { listen } from './support.js';

/** A server, a proxy in front of it, and a client that knows only the proxy. */
export interface Network {
  readonly api: EventsApi;
  readonly proxy: Proxy;
  readonly client: EventsClient;
  /** Bytes that have left the server. */
  sent(): number;
  /** Ends the server with all its connections, and starts one at another port. */
  restart(): Promise<void>;
}

/** Makes a {@link Network} that is closed with the test. */
export async function network(options: Partial<EventsOptions> = {}): Promise<Network> {
  const api = openEvents(options);
  onTestFinished(() => api.close());
  let running = await listen(toNodeListener(api.events.handle));
  const sockets = new Set<Socket>();
  running.server.on('connection', (socket) => sockets.add(socket));
  const proxy = await createProxy(running.port);
  onTestFinished(() => proxy.close());
  const transport = httpTransport({ server: `http://127.0.0.1:${proxy.port}` });
  onTestFinished(() => transport.close());
  const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
  return {
    ...{ api, proxy, client },
    sent: () => [...sockets].reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0),
    async restart() {
      running.server.closeAllConnections();
      running.server.close();
      running = await listen(toNodeListener(api.events.handle));
      proxy.aim(running.port);
      proxy.cut();
    },
  };
}
