const SEATS = 1024;

type Strings = Readonly<Record<string, string>>;

/**
 * The fields that were asked for last, as objects. They are made when a selector wants them, in 1 µs, and a thousand
 * watchers want those of the same few events. An event has a seat, which it loses to another and when it is released.
 */
export interface RecentFields {
  /** A seat for a new event, below 1,024. */
  seat(): number;
  get(seat: number, event: object): Strings | undefined;
  set(seat: number, event: object, fields: Strings): void;
  forget(seat: number, event: object): void;
}

/** Makes an empty {@link RecentFields}. */
export function createRecentFields(): RecentFields {
  const events: (object | undefined)[] = new Array<object | undefined>(SEATS).fill(undefined);
  const known: (Strings | undefined)[] = new Array<Strings | undefined>(SEATS).fill(undefined);
  let last = 0;

  return {
    seat: () => (last = (last + 1) % SEATS),
    get: (seat, event) => (events[seat] === event ? known[seat] : undefined),
    set(seat, event, fields) {
      events[seat] = event;
      known[seat] = fields;
    },
    forget(seat, event) {
      if (events[seat] !== event) return;
      events[seat] = undefined;
      known[seat] = undefined;
    },
  };
}
