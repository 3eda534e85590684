import type { Clock } from '../../../clock/clock.js';
import { storeError } from '../../errors.js';
import { HEAP_COST } from '../accounting/heap-cost.js';
import type { MemoryState } from './state.js';
import { StoredEvent } from '../bytes/stored-event.js';
import type { Slot } from '../index/version.js';

/** The part of all that history keeps however many events there are: what watchers and pages are about to read. */
const HISTORY_RESERVE = 1 / 8;
/** How long one write works to make room, in milliseconds, and how many steps it does whatever the clock says. */
const SLICE_MS = 4;
const STEPS_PER_LOOK = 64;
/** What a new event takes in the heap besides its bytes, with values of its own in both indexed fields. */
const NEW_EVENT = HEAP_COST.slot + 2 * HEAP_COST.posting;

/** For {@link createRoof}. */
export interface RoofLimits {
  /** What the store may hold in all, in bytes. */
  maxBytes(): number;
  readonly maxEvents: number;
  readonly historyMaxBytes: number;
  readonly slabBytes: number;
  readonly evict: boolean;
}

/** What the roof needs of the store around it. */
export interface RoofParts {
  readonly state: MemoryState;
  readonly clock: Clock;
  /** What the store holds besides its state, in bytes. */
  others(): number;
  /** An event was removed to make room. */
  evicted(): void;
}

/** The bound of everything a memory store holds. */
export interface Roof {
  /**
   * Makes room for an event of so many bytes at a place. True when there was room: otherwise the place has to be looked up
   * again. Fails with `full`, and nothing but the oldest events has changed then, where these may be removed.
   */
  admit(place: Slot | string, size: number): boolean;
  /** History is to be forgotten, because there is no room for it. */
  squeezes(): boolean;
}

/**
 * Makes the roof of a state. History gives way first, down to an eighth of all; the rest belongs to events, so that a feed
 * can always be read on a moment after the write. Then events are refused, or the oldest ones go. A write that is no larger
 * than what it replaces always finds room, and removals are never asked.
 */
export function createRoof({ state, clock, others, evicted }: RoofParts, limits: RoofLimits): Roof {
  const { keys, revisions, events } = state;

  const reserve = (): number => Math.min(limits.historyMaxBytes, limits.maxBytes() * HISTORY_RESERVE);

  /** What events may take. A write may open a slab, and that counts as a whole. */
  const room = (): number => limits.maxBytes() - reserve() - limits.slabBytes;

  /** The event that a write replaces, if there is one. */
  const before = (place: Slot | string): StoredEvent | undefined =>
    typeof place === 'string' ? undefined : place.head.event;

  const tooMany = (place: Slot | string): boolean =>
    before(place) === undefined && keys.living.size() >= limits.maxEvents;

  const fits = (place: Slot | string, size: number): boolean => {
    if (tooMany(place)) return false;
    const replaced = before(place);
    const more = replaced === undefined ? size + NEW_EVENT : size - StoredEvent.tenancy.sizeOf(replaced);
    return more <= 0 || state.held().current + others() + more <= room();
  };

  /** Removes the oldest event that is not about to be replaced; false when there is none. */
  const evict = (place: Slot | string): boolean => {
    const oldest = revisions.of(undefined).between(undefined, undefined, 2);
    const version = oldest.find(({ slot }) => slot !== place);
    if (version === undefined) return false;
    state.bury(version, clock.monotonic());
    evicted();
    return true;
  };

  /** One step towards more room; false when there is none to take. */
  const step = (place: Slot | string): boolean => {
    if (!tooMany(place) && events.compact()) return true;
    if (limits.evict && evict(place)) return true;
    if (tooMany(place) || state.log.oldest() === undefined) return false;
    state.forgetOldest();
    return true;
  };

  const makeRoom = (place: Slot | string, size: number): boolean => {
    const end = clock.monotonic() + SLICE_MS;
    for (let steps = 1; !fits(place, size); steps++) {
      if (!step(place)) return false;
      if (steps % STEPS_PER_LOOK === 0 && clock.monotonic() >= end) return fits(place, size);
    }
    return true;
  };

  return {
    admit(place, size) {
      if (fits(place, size)) return true;
      if (makeRoom(place, size)) return false;
      const most = tooMany(place) ? `${limits.maxEvents} events` : `${limits.maxBytes()} bytes`;
      throw storeError('full', `the store may hold ${most}, and has no room for another event`);
    },
    squeezes() {
      const { current, history } = state.held();
      return current + history + others() > limits.maxBytes() && history > reserve();
    },
  };
}
