import type { Clock } from '../../clock/clock.js';
import { keyText } from '../contract/keys.js';
import type { Change, JsonPage, ListPage, ListQuery, Revision } from '../contract/event-store.js';
import type { Awaitable } from '../shell/store-engine.js';
import { eventSize, type EncodedEvent, type EventKey, type EventRecord } from '../contract/record.js';
import type { Bounds } from './bounds.js';
import { findHints } from '../contract/find-hints.js';
import { createParts } from './parts.js';
import type { ExpiryQueue } from './index/expiry-queue.js';
import type { MemoryStoreOptions } from './options.js';
import { createReads } from './reads.js';

export type ReplicaLimits = Pick<
  MemoryStoreOptions,
  'historyMs' | 'historyMaxBytes' | 'listCacheMaxBytes' | 'maxBytes'
>;

export type Replica = ReturnType<typeof createReplica>;

/** A replica expires nothing itself: the feed delivers expiry like any other change. */
const NO_EXPIRY: ExpiryQueue = { note: () => undefined, take: () => undefined, drop: () => undefined };

/** Creates a memory store whose revisions come from the feed of another store. */
export function createReplica(clock: Clock, start: Revision, limits: ReplicaLimits, bounds: Bounds) {
  const parts = createParts(clock, { ...limits, startAt: start }, bounds, NO_EXPIRY);
  const { state, capacity, history } = parts;
  const { log } = state;
  const reads = createReads(parts, () => undefined);

  /** Other stores do not store hints, so at most recently written events have them. */
  const withHints = (key: EventKey, event: EncodedEvent): EncodedEvent => {
    if (event.hints !== undefined) return event;
    const { bytes, cut, uid, fields, labels } = event;
    return { bytes, cut, uid, fields, labels, hints: findHints(key, event) };
  };

  return {
    get: (key: EventKey): EventRecord | undefined => reads.get(key),
    list: (query: ListQuery): Awaitable<ListPage> => reads.list(query),
    json: (query: ListQuery): JsonPage | undefined => reads.json(query),
    revision: (): Revision => start + log.latest(),
    /** The oldest revision that can be read and resumed from. */
    floor: (): Revision => start + log.floor(),
    /** Adds an event of the state at the first revision, before any change. Fails with `full`. */
    load({ key, revision, event: given, expiresAt }: EventRecord): void {
      const target = state.slotOf(key);
      if (typeof target !== 'string') throw new Error(`${keyText(key)} is in the list twice`);
      const event = withHints(key, given);
      capacity.admit(target, eventSize(event));
      state.load(target, event, expiresAt, revision - start);
    },
    /** Applies the next change. Revisions may have gaps. Fails with `full`, or an Error for a contradictory change. */
    apply({ type, key, revision, record: { event, expiresAt } }: Change): void {
      const sequence = revision - start;
      if (sequence <= log.latest()) throw new Error(`revision ${revision} came after ${start + log.latest()}`);
      if (type === 'put') {
        parts.put(state.slotOf(key), key, withHints(key, event), expiresAt, sequence);
      } else {
        const version = state.find(key);
        if (version === undefined) throw new Error(`${keyText(key)} was removed, but is not in the replica`);
        parts.remove(version, sequence);
      }
    },
    /** Records that nothing changed from `revision()` up to this revision. */
    advance(revision: Revision): void {
      if (revision - start > log.latest()) log.advance(revision - start);
    },
    changes: (after: Revision, max: number): readonly Change[] => log.read(after - start, max).map(state.change),
    size(): { readonly events: number; readonly bytes: number } {
      return { events: state.keys.live.size(), bytes: capacity.held() };
    },
    close: (): void => history.close(),
  };
}
