import type { Clock } from '../../clock/clock.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { createBatcher } from '../batching/batcher.js';
import type { EventStore } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import { keyText } from '../contract/keys.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
import { withinDeadline, type CallContext } from './call-context.js';
import type { EtcdClient } from './client.js';
import { put } from './connection.js';
import type { Layout } from './layout.js';

export interface LostCreate {
  readonly key: EventKey;
  readonly uid: string;
  /** A revision that etcd had reached before it was sent. */
  readonly since: Revision;
}

export type Fence = ReturnType<typeof createFence>;

type Waiting = LostCreate & { readonly context: CallContext };

const idOf = (key: EventKey, uid: string): string => `${keyText(key)}/${uid}`;

/**
 * Keeps creates from happening late: a frozen leader passes on its requests when it wakes, and one that was repeated
 * could bring back a deleted event. Every create is bound to the revision of one key, and a store that loses one writes
 * that key: pending creates then never happen, and completed ones are in the feed. One write serves all lost ones.
 */
export function createFence(client: EtcdClient, layout: Layout, clock: Clock, changes: EventStore['changes']) {
  let revision = 0;

  /** Writes the tick as well, which feeds see even if nothing else happens. */
  const raise = async ({ context }: Waiting): Promise<Revision> => {
    const success = [put(layout.fenceKey), put(layout.tickKey)];
    ({ revision } = await client.txn({ success }, { ...context, signal: undefined }));
    return revision;
  };

  const find = async (lost: readonly Waiting[], upTo: Revision): Promise<(EventRecord | undefined)[]> => {
    const wanted = new Set(lost.map(({ key, uid }) => idOf(key, uid)));
    const found = new Map<string, EventRecord>();
    const over = new AbortController();
    const end = Math.max(...lost.map(({ context }) => context.end));
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
    if (reached < upTo) throw storeError('unavailable', 'the outcome of a create could not be read from etcd in time');
    return lost.map(({ key, uid }) => found.get(idOf(key, uid)));
  };

  const lookups = createBatcher<Waiting, EventRecord | undefined>({
    maxItems: 1000,
    run: async (batch) => find(batch, await raise(batch.at(-1) as Waiting)).finally(keepProcessAlive()),
  });

  return {
    /** The revision that a create is bound to; 0: the key was never written. */
    revision: (): Revision => revision,
    /** The key was found at this revision; 0: it was removed. */
    saw: (seen: Revision): void => void (revision = seen),
    /** Returns what a lost create created, even if that is gone by now; `undefined`: nothing, and it never will. */
    async resolveLost(create: LostCreate, context: CallContext): Promise<EventRecord | undefined> {
      context.signal?.throwIfAborted();
      return withinDeadline(clock, lookups.add({ ...create, context }), context);
    },
  };
}
