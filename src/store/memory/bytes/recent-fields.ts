const SLOTS = 1024;

type Strings = Readonly<Record<string, string>>;

/**
 * A cache of the fields that were read last, as objects. Creating one takes 1 µs, and a thousand watchers read those of the
 * same few events. Every event has a slot, which a later event may take over, and which is freed on release.
 */
export interface RecentFields {
  /** The slot of a new event, below 1,024. */
  nextSlot(): number;
  get(slot: number, event: object): Strings | undefined;
  set(slot: number, event: object, fields: Strings): void;
  forget(slot: number, event: object): void;
}

/** Creates an empty {@link RecentFields}. */
export function createRecentFields(): RecentFields {
  const events: (object | undefined)[] = new Array<object | undefined>(SLOTS).fill(undefined);
  const known: (Strings | undefined)[] = new Array<Strings | undefined>(SLOTS).fill(undefined);
  let last = 0;

  return {
    nextSlot: () => (last = (last + 1) % SLOTS),
    get: (slot, event) => (events[slot] === event ? known[slot] : undefined),
    set(slot, event, fields) {
      events[slot] = event;
      known[slot] = fields;
    },
    forget(slot, event) {
      if (events[slot] !== event) return;
      events[slot] = undefined;
      known[slot] = undefined;
    },
  };
}
