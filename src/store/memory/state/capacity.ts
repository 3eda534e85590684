import type { Clock } from '../../../clock/clock.js';
import { storeError } from '../../contract/errors.js';
import type { EncodedEvent } from '../../contract/record.js';
import { HEAP_COST } from '../accounting/heap-cost.js';
import type { MemoryState } from './state.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Slot } from '../bytes/version.js';

/** Fraction of `maxBytes` reserved for history, which watchers and continued lists are about to read. */
const HISTORY_RESERVE = 1 / 8;
/** The longest time one write spends on making room, in milliseconds. */
const SLICE_MS = 4;
const STEPS_PER_CLOCK_CHECK = 64;
/** Heap cost of a new event besides its bytes, when both indexed fields have new values. */
const NEW_EVENT = HEAP_COST.slot + 2 * HEAP_COST.valueEntry;

export interface CapacityLimits {
  maxBytes(): number;
  readonly historyMaxBytes: number;
  readonly arenaBytes: number;
  readonly maxEvents: number;
  readonly evict: boolean;
  others(): number;
  evicted(): void;
}

export type Capacity = ReturnType<typeof createCapacity>;

/**
 * Enforces `maxBytes` and `maxEvents`. History is dropped first, down to an eighth of `maxBytes`, which feeds need.
 * Then writes are refused, or the oldest events are evicted. Removals and writes without growth always succeed.
 */
export function createCapacity(state: MemoryState, clock: Clock, limits: CapacityLimits) {
  const { others, evicted } = limits;
  const { keys, revisions, events } = state;

  const reserve = (): number => Math.min(limits.historyMaxBytes, limits.maxBytes() * HISTORY_RESERVE);

  /** The limit for events. A write may allocate an arena, which counts in full. */
  const eventCapacity = (): number => limits.maxBytes() - reserve() - limits.arenaBytes;

  /** The limit for writes that must not fail: half of the reserve remains for history. */
  const highestCapacity = (): number => eventCapacity() + reserve() / 2;

  const before = (target: Slot | string): StoredEvent | undefined =>
    typeof target === 'string' ? undefined : target.head.event;

  const tooMany = (target: Slot | string): boolean =>
    before(target) === undefined && keys.live.size() >= limits.maxEvents;

  const fits = (target: Slot | string, size: number, most = eventCapacity()): boolean => {
    if (tooMany(target)) return false;
    const replaced = before(target);
    const more = replaced === undefined ? size + NEW_EVENT : size - StoredEvent.access.sizeOf(replaced);
    return state.held().current + others() + more <= most;
  };

  /**
   * Whether a write needs no more than the event it replaces, shared parts considered: unlike `fits` it reads bytes.
   * Fewer bytes may need more heap, such as one label less than other events have: for that half of the reserve is used.
   */
  const isNoLarger = (target: Slot | string, size: number, event: EncodedEvent | undefined): boolean => {
    const replaced = before(target);
    if (replaced === undefined) return false;
    const most = StoredEvent.access.sizeOf(replaced);
    if (event === undefined) return size <= most;
    if (size > most && events.sizeFor((target as Slot).sortKey, event, replaced) > most) return false;
    const heap = events.moreHeapFor(event, replaced);
    return heap <= 0 || state.held().current + others() + heap <= highestCapacity();
  };

  const evict = (target: Slot | string): boolean => {
    const oldest = revisions.of(undefined).between(undefined, undefined, 2);
    const version = oldest.find(({ slot }) => slot !== target);
    if (version === undefined) return false;
    state.remove(version);
    evicted();
    return true;
  };

  const freeSpace = (target: Slot | string): boolean => {
    if (!tooMany(target) && events.compact()) return true;
    if (limits.evict && evict(target)) return true;
    if (tooMany(target) || state.held().history <= reserve()) return false;
    state.pruneOldest();
    return true;
  };

  /** Does one step towards less memory; returns false when only the last change is left of history. */
  const dropHistory = (): boolean => {
    if (events.compact()) return true;
    if (state.log.floor() >= state.log.latest() - 1) return false;
    state.pruneOldest();
    return true;
  };

  /** Repeats `step` until `isDone`, as long as there is something left to do and a slice of time lasts. */
  const work = (step: () => boolean, isDone: () => boolean): boolean => {
    const end = clock.monotonic() + SLICE_MS;
    for (let steps = 1; !isDone(); steps++) {
      if (!step()) return false;
      if (steps % STEPS_PER_CLOCK_CHECK === 0 && clock.monotonic() >= end) return isDone();
    }
    return true;
  };

  const held = (): number => {
    const { current, history } = state.held();
    return current + history + others();
  };
  const isOver = (): boolean => held() > limits.maxBytes();

  return {
    held: (): number => held(),
    /**
     * Frees space for `size` bytes. After false, slots have to be looked up again. Fails with `full`; then at most the
     * oldest events were evicted. `event`: to compare with the one it replaces.
     */
    admit(target: Slot | string, size: number, event?: EncodedEvent): boolean {
      if (fits(target, size) || isNoLarger(target, size, event)) return true;
      const hasCapacity = work(
        () => freeSpace(target),
        () => fits(target, size),
      );
      // The events that one new arena displaces may take several slices: the next writes go on evicting.
      if (hasCapacity || (limits.evict && fits(target, size, highestCapacity()))) return false;
      const most = tooMany(target) ? `${limits.maxEvents} events` : `${limits.maxBytes()} bytes`;
      throw storeError('full', `the store is limited to ${most}, and has no space for another event`);
    },
    overLimit: (): boolean => isOver() && state.held().history > reserve(),
    /**
     * Compacts arenas while the store is over its limit, then drops history below its reserve, except for the last
     * change. Writes that are always accepted, and dropped history, leave gaps in arenas.
     */
    shrink(): void {
      if (isOver()) work(dropHistory, () => !isOver());
    },
  };
}
