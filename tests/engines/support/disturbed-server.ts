import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createEventsClient, httpTransport, type ConnectedTransport, type EventsClient } from '../../../src/client.js';
import type { Random } from '../../random/random.js';
import { createProxy } from './proxy.js';
import { createServer } from './standalone.js';

/** A server that keeps its events while it is killed and started again. */
export interface KillableServer {
  /** Where it listens on 127.0.0.1; another one after every start. */
  readonly port: number;
  /** The group of its events. */
  readonly group: string;
  /** Connects an administrator to the server itself, or to a proxy in front of it. */
  connect(port: number): ConnectedTransport;
  start(): Promise<void>;
  /** Creates a namespace, for servers whose namespaces must exist. */
  makeNamespace(name: string): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Ends it, whatever its state, and deletes its data. */
  remove(): Promise<void>;
}

/** A server, and the network between it and its clients, which is disturbed. */
export interface DisturbedServer {
  readonly server: KillableServer;
  /** A client behind the disturbed network. */
  readonly client: (timeoutMs?: number) => EventsClient;
  /** A client with a connection of its own, for what a test looks up. */
  readonly direct: () => EventsClient;
  /** Disturbs the network once, or kills the server and starts it again; resolves when that is over. */
  readonly disturb: (what: Disturbance) => Promise<void>;
  /** Lets everything through again. */
  readonly heal: () => void;
  readonly remove: () => Promise<void>;
}

export type Disturbance = 'cut' | 'swallow' | 'delay' | 'kill' | 'kill-and-cut';

const MAX_MS = 400;

/** Makes a standalone server with its events on disk. `flags` are for `kube-vitals serve`. */
export async function createStandalone(flags: readonly string[] = []): Promise<KillableServer> {
  const store = (dataDir: string): string => `sqlite:${join(dataDir, 'events.db')}`;
  const server = await createServer({ name: 'the server', store, flags });
  return {
    get port() {
      return Number(new URL(server.url).port);
    },
    group: 'events.example.com',
    connect(port) {
      const token = server.authorization.slice('Bearer '.length);
      return httpTransport({ server: `http://127.0.0.1:${port}`, token });
    },
    start: () => server.start(),
    makeNamespace: () => Promise.resolve(),
    kill: () => server.kill(),
    remove: () => server.remove(),
  };
}

/** Starts a server and a proxy in front of it. */
export async function createDisturbedServer(random: Random, server: KillableServer): Promise<DisturbedServer> {
  await server.start();
  const proxy = await createProxy(server.port);
  const closing: (() => Promise<void>)[] = [];

  const clientOf = (port: number, timeoutMs?: number): EventsClient => {
    const transport = server.connect(port);
    closing.push(() => transport.close());
    return createEventsClient({ transport, group: server.group, namespace: 'default', timeoutMs });
  };
  return {
    server,
    client: (timeoutMs) => clientOf(proxy.port, timeoutMs),
    direct: () => clientOf(server.port),
    async disturb(what) {
      switch (what) {
        case 'cut':
          proxy.cut();
          break;
        case 'swallow':
          proxy.swallow();
          await pause(50 + random.below(MAX_MS));
          proxy.heal();
          break;
        case 'delay':
          proxy.delay(20 + random.below(100));
          await pause(random.below(MAX_MS));
          break;
        case 'kill':
        case 'kill-and-cut':
          await server.kill();
          // Some clients find that the server is down; the others wait for a server that does not respond.
          if (what === 'kill') proxy.swallow();
          await server.start();
          proxy.aim(server.port);
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
