import type { Clock } from '../../clock/clock.js';
import { keyText } from '../contract/keys.js';
import type { Change, Revision } from '../contract/event-store.js';
import { eventSize, type EncodedEvent, type EventKey, type EventRecord } from '../contract/record.js';
import type { Bounds } from './bounds.js';
import { findHints } from '../contract/find-hints.js';
import { createEngine } from './engine.js';
import type { ExpiryQueue } from './index/expiry-queue.js';
import type { MemoryStoreOptions } from './options.js';
import { createReads, type Reads } from './reads.js';

/** The part of the options of a memory store that holds for a replica. */
export type ReplicaLimits = Pick<
  MemoryStoreOptions,
  'historyMs' | 'historyMaxBytes' | 'listCacheMaxBytes' | 'maxBytes'
>;

/** A memory engine whose revisions come from the feed of another store. */
export interface Replica extends Reads {
  /** Everything up to this revision is here. */
  revision(): Revision;
  /** The oldest revision that can be read and resumed from. */
  floor(): Revision;
  /** Adds an event of the state at the first revision, before any change. Fails with `full`. */
  load(record: EventRecord): void;
  /**
   * The next change. Revisions rise, and need not be dense. Fails with `full`; a change that does not follow from the
   * contents is an Error. History beyond the limits is dropped.
   */
  apply(change: Change): void;
  /** Nothing changed from {@link Replica.revision} up to this one. */
  advance(revision: Revision): void;
  /** Up to `max` changes after a revision that is at least the floor. */
  changes(after: Revision, max: number): readonly Change[];
  /** The revision of the last change, or the first of all. */
  lastChange(): Revision;
  /** How many events there are, and all memory that is taken, in bytes. */
  size(): { readonly events: number; readonly bytes: number };
  /** Ends its timer. Its contents stay readable. */
  close(): void;
}

/** The feed delivers expiry as any other change. */
const NO_EXPIRY: ExpiryQueue = { note: () => undefined, take: () => undefined, drop: () => undefined };

/** An empty replica of the state at the revision `start`. */
export function createReplica(clock: Clock, start: Revision, limits: ReplicaLimits, bounds: Bounds): Replica {
  const engine = createEngine(clock, { ...limits, startAt: start }, bounds, NO_EXPIRY);
  const { state, capacity, history, afterWrite } = engine;
  const { log } = state;
  let lastChange = start;

  /** Other stores do not keep the hints of an event; at most those of recent writes have them. */
  const withHints = (key: EventKey, event: EncodedEvent): EncodedEvent => {
    if (event.hints !== undefined) return event;
    const { bytes, cut, uid, fields, labels } = event;
    return { bytes, cut, uid, fields, labels, hints: findHints(key, event) };
  };

  const retentionMs = (expiresAt: number): number => (expiresAt - clock.now()) / 1000;

  return {
    ...createReads(engine, () => undefined),
    revision: () => start + log.latest(),
    floor: () => start + log.floor(),
    lastChange: () => lastChange,
    load({ key, revision, event: given, expiresAt }) {
      const place = state.place(key);
      if (typeof place !== 'string') throw new Error(`${keyText(key)} is in the list twice`);
      const event = withHints(key, given);
      capacity.admit(place, eventSize(event));
      state.load(place, event, { expiresAt, retentionMs: retentionMs(expiresAt), at: 0, step: revision - start });
    },
    apply({ type, key, revision, record: { event: given, expiresAt } }) {
      const step = revision - start;
      if (step <= log.latest()) throw new Error(`revision ${revision} came after ${start + log.latest()}`);
      const at = clock.monotonic();
      if (type === 'put') {
        const event = withHints(key, given);
        const place = state.place(key);
        const found = capacity.admit(place, eventSize(event), event);
        state.put(found ? place : state.place(key), event, {
          expiresAt,
          retentionMs: retentionMs(expiresAt),
          at,
          step,
        });
      } else {
        const version = state.find(key);
        if (version === undefined) throw new Error(`${keyText(key)} was removed, and was not here`);
        state.remove(version, at, step);
      }
      lastChange = revision;
      afterWrite();
    },
    advance(revision) {
      if (revision - start > log.latest()) log.advance(revision - start);
    },
    changes: (after, max) => log.read(after - start, max).map(state.change),
    size: () => ({ events: state.keys.live.size(), bytes: capacity.held() }),
    close: history.close,
  };
}
