import type { Clock } from '../../clock/clock.js';
import { createBatcher } from '../batching/batcher.js';
import type { Change, ChangesOptions } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
import { withinBudget, type Budget } from './budget.js';
import type { EtcdClient } from './client.js';
import { put } from './connection.js';
import type { Layout } from './layout.js';

/** The most creates that are looked for together. */
const TOGETHER = 1000;

/** A create that was lost on its way. */
export interface LostCreate {
  readonly key: EventKey;
  readonly uid: string;
  /** A revision that etcd had reached before it was sent. */
  readonly since: Revision;
}

/**
 * Keeps creates from happening late. A frozen leader hands over what it held when it wakes, so that a create which was
 * given up and repeated could bring back an event that was deleted since. Every create is bound to the revision of one key,
 * and whoever loses one writes that key: those on their way do not happen any more, and what has happened is in the feed.
 */
export interface Fence {
  /** The revision that a create is bound to; 0: the key was never written. */
  revision(): Revision;
  /** The key was found at this revision: it was written, or (0) removed. */
  saw(revision: Revision): void;
  /**
   * Ends a create that was lost. What it created, whatever became of that since; `undefined`: nothing, and it never will.
   * Fails with StoreErrors where that cannot be found out in time, or with the reason of an aborted signal.
   */
  resolveLost(client: EtcdClient, lost: LostCreate, budget: Budget): Promise<EventRecord | undefined>;
}

interface Waiting extends LostCreate {
  readonly client: EtcdClient;
  readonly budget: Budget;
}

interface FenceDependencies {
  readonly layout: Layout;
  readonly clock: Clock;
  changes(options: ChangesOptions): AsyncIterable<readonly Change[]>;
}

const idOf = ({ namespace, name }: EventKey, uid: string): string => `${namespace}/${name}/${uid}`;

/** Makes the {@link Fence} of a store. Where many creates are lost at once, it is written once for all of them. */
export function createFence({ layout, clock, changes }: FenceDependencies): Fence {
  let revision = 0;

  /** The tick is written along: it is what a feed sees, whatever else happens. */
  const raise = async ({ client, budget }: Waiting): Promise<Revision> => {
    const success = [put(layout.fenceKey), put(layout.tickKey)];
    const raised = await client.txn({ success }, { ...budget, signal: undefined });
    revision = raised.revision;
    return revision;
  };

  const find = async (lost: readonly Waiting[], upTo: Revision): Promise<(EventRecord | undefined)[]> => {
    const wanted = new Set(lost.map(({ key, uid }) => idOf(key, uid)));
    const found = new Map<string, EventRecord>();
    const over = new AbortController();
    const end = Math.max(...lost.map(({ budget }) => budget.end));
    const timer = clock.setTimer(() => over.abort(), Math.max(1, end - clock.monotonic()));
    let reached = 0;
    const reach = (seen: Revision): void => {
      reached = Math.max(reached, seen);
      if (reached >= upTo) over.abort();
    };
    const after = Math.min(...lost.map(({ since }) => since));
    try {
      for await (const batch of changes({ after, signal: over.signal, onProgress: reach })) {
        for (const { type, key, record, previous } of batch) {
          const id = idOf(key, record.event.uid);
          if (type === 'put' && previous === undefined && wanted.has(id) && !found.has(id)) found.set(id, record);
        }
        reach(batch.at(-1)?.revision ?? 0);
      }
    } finally {
      timer.cancel();
    }
    if (reached < upTo) throw storeError('unavailable', 'etcd did not tell in time what has happened');
    return lost.map(({ key, uid }) => found.get(idOf(key, uid)));
  };

  const settling = createBatcher<Waiting, EventRecord | undefined>({
    maxItems: TOGETHER,
    run: async (batch) => find(batch, await raise(batch.at(-1) as Waiting)),
  });

  return {
    revision: () => revision,
    saw: (seen) => void (revision = seen),
    async resolveLost(client, create, budget) {
      budget.signal?.throwIfAborted();
      return withinBudget(clock, settling.add({ ...create, client, budget }), budget);
    },
  };
}
