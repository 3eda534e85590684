import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createEventsClient, httpTransport, type EventsClient } from '../../../src/client.js';
import type { Random } from '../../random/random.js';
import { createProxy } from './proxy.js';
import { createServer, type Server } from './standalone.js';

/** A standalone server with its events on disk, and the way of clients to it, which is disturbed. */
export interface DisturbedServer {
  readonly server: Server;
  /** A client over the network that is disturbed. */
  readonly client: (timeoutMs?: number) => EventsClient;
  /** One beside it, for what a test looks up. */
  readonly direct: () => EventsClient;
  /** Disturbs the network once, or kills the server and starts it again; resolves with what it did. */
  readonly disturb: (what: Disturbance) => Promise<void>;
  /** Everything gets through again. */
  readonly heal: () => void;
  readonly remove: () => Promise<void>;
}

export type Disturbance = 'cut' | 'swallow' | 'delay' | 'kill' | 'kill-and-cut';

const LONGEST_MS = 400;

/** Starts a server and a proxy in front of it. `flags` are for `kube-vitals serve`. */
export async function createDisturbedServer(random: Random, flags: readonly string[] = []): Promise<DisturbedServer> {
  const store = (dataDir: string): string => `sqlite:${join(dataDir, 'events.db')}`;
  const server = await createServer({ name: 'the server', store, flags });
  await server.start();
  const portOf = (): number => Number(new URL(server.url).port);
  const proxy = await createProxy(portOf());
  const closing: (() => Promise<void>)[] = [];

  const clientOf = (port: number, timeoutMs?: number): EventsClient => {
    const token = server.authorization.slice('Bearer '.length);
    const transport = httpTransport({ server: `http://127.0.0.1:${port}`, token });
    closing.push(() => transport.close());
    return createEventsClient({ transport, group: 'events.example.com', namespace: 'default', timeoutMs });
  };
  return {
    server,
    client: (timeoutMs) => clientOf(proxy.port, timeoutMs),
    direct: () => clientOf(portOf()),
    async disturb(what) {
      switch (what) {
        case 'cut':
          proxy.cut();
          break;
        case 'swallow':
          proxy.swallow();
          await pause(50 + random.below(LONGEST_MS));
          proxy.heal();
          break;
        case 'delay':
          proxy.delay(20 + random.below(100));
          await pause(random.below(LONGEST_MS));
          break;
        case 'kill':
        case 'kill-and-cut':
          await server.kill();
          // Clients that are cut off see a server that is away; the others wait for one that says nothing.
          if (what === 'kill') proxy.swallow();
          await server.start();
          proxy.aim(portOf());
          proxy.heal();
          proxy.cut();
          break;
      }
    },
    heal: () => proxy.heal(),
    async remove() {
      await Promise.all(closing.map((close) => close()));
      await proxy.close();
      await server.remove();
    },
  };
}
