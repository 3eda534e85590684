import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createEventsClient, httpTransport, type EventsClient } from '../../src/client.js';
import type { EventsOptions } from '../../src/index.js';
import { toNodeListener } from '../../src/node.js';
import { createProxy, type Proxy } from '../engines/support/proxy.js';
import { openEvents, type EventsApi } from './events-api.js';
import { listen } from './support.js';

/** A server, a proxy in front of it, and a client that connects only to the proxy. */
export interface Network {
  readonly api: EventsApi;
  readonly proxy: Proxy;
  readonly client: EventsClient;
  /** Bytes that the client has read from its sockets. */
  received(): number;
  /** Stops the server with all its connections, and starts one at another port. */
  restart(): Promise<void>;
}

/** Makes a {@link Network} that is closed with the test. */
export async function network(options: Partial<EventsOptions> = {}): Promise<Network> {
  const api = openEvents(options);
  onTestFinished(() => api.close());
  let running = await listen(toNodeListener(api.events.handle));
  const proxy = await createProxy(running.port);
  onTestFinished(() => proxy.close());
  const sockets = new Set<Socket>();
  const onConnected = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.remotePort === proxy.port) sockets.add(socket);
  };
  subscribe('undici:client:connected', onConnected);
  onTestFinished(() => void unsubscribe('undici:client:connected', onConnected));
  const transport = httpTransport({ server: `http://127.0.0.1:${proxy.port}` });
  onTestFinished(() => transport.close());
  const client = createEventsClient({ transport, group: 'events.example.com', namespace: 'default' });
  return {
    ...{ api, proxy, client },
    received: () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    async restart() {
      running.server.closeAllConnections();
      running.server.close();
      running = await listen(toNodeListener(api.events.handle));
      proxy.aim(running.port);
      proxy.cut();
    },
  };
}
