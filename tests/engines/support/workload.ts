import { setTimeout as pause } from 'node:timers/promises';
import type { EventApi, Stored } from './event-api.js';
import { createRandom } from '../../random/random.js';
import type { Server } from './standalone.js';

/** Clients that create, change, remove and read the same few events, and keep creating others. */
export interface Workload {
  /** Lets every client finish the call it is in. */
  readonly stop: () => Promise<void>;
}

export interface WorkloadOptions {
  readonly api: EventApi;
  readonly servers: readonly Server[];
  readonly seed: number;
  /** Default: 6. */
  readonly clients?: number;
  /** Default: 5. */
  readonly sharedKeys?: number;
  /** Pause of a client between two calls, milliseconds. Default: 2. */
  readonly thinkMs?: number;
  /**
   * `create`: nothing but new events and reads, so that what is stored grows; `rewrite`: changes of the few shared events,
   * so that only history grows. Default: `all`.
   */
  readonly mix?: 'all' | 'create' | 'rewrite';
}

/** Starts the clients. */
export function startWorkload({ api, servers, seed, clients = 6, ...more }: WorkloadOptions): Workload {
  const { sharedKeys = 5, thinkMs = 2, mix = 'all' } = more;
  const shared = Array.from({ length: sharedKeys }, (_, index) => `shared-${index}`);
  let stopped = false;

  const run = async (client: number): Promise<void> => {
    const random = createRandom(seed * 31 + client);
    const own: string[] = [];
    const known = new Map<string, Stored>();
    for (let step = 0; !stopped; step++) {
      const up = servers.filter((server) => server.up);
      if (up.length === 0) {
        await pause(10);
        continue;
      }
      const server = random.pick(up);
      const key = random.pick(shared);
      const chance = random.below(100);
      if (mix === 'rewrite' && chance < 80) {
        await (chance < 10 ? api.create(server, client, key) : api.patch(server, client, key));
      } else if (mix !== 'rewrite' && (chance < 35 || (mix === 'create' && chance < 80))) {
        own.push(`own-${client}-${step}`);
        await api.create(server, client, own.at(-1) ?? '');
      } else if (mix !== 'all' || chance >= 80) {
        const wanted = own.length > 0 && random.below(3) === 0 ? random.pick(own) : key;
        if (chance < 96) remember(known, wanted, await api.get(server, client, wanted));
        else await api.list(server);
      } else if (chance < 48) {
        await api.create(server, client, key);
      } else if (chance < 62) {
        // The client's copy may be stale: a conflict is a valid result, too.
        const read = known.get(key) ?? (await api.get(server, client, key));
        known.delete(key);
        if (read !== undefined) await api.update(server, client, key, read);
      } else if (chance < 72) {
        await api.patch(server, client, key);
      } else {
        const uid = random.below(2) === 0 ? known.get(key)?.metadata.uid : undefined;
        await api.remove(server, client, key, uid);
      }
      await pause(thinkMs);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
  running.catch(() => undefined);
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}

function remember(known: Map<string, Stored>, key: string, stored: Stored | undefined): void {
  if (stored === undefined) known.delete(key);
  else known.set(key, stored);
}
