/** What several events share, and how many do. */
export interface HeldPart {
  /** What it takes in memory, in bytes. */
  readonly cost: number;
  /** How many events have it, and how many of these are current. */
  users: number;
  current: number;
}

/** What the parts of events take in memory: of current events, and of those that only history has. */
export interface HeldParts {
  hold(part: HeldPart): void;
  /** One of its events is no longer current. */
  supersede(part: HeldPart): void;
  /** And one is no longer there at all. */
  release(part: HeldPart): void;
  held(): number;
  /** The part of that which only history has. */
  past(): number;
}

/** Makes an empty {@link HeldParts}. */
export function createHeldParts(): HeldParts {
  let held = 0;
  let past = 0;
  return {
    hold(part) {
      if (part.users === 0) held += part.cost;
      else if (part.current === 0) past -= part.cost;
      part.users += 1;
      part.current += 1;
    },
    supersede(part) {
      if (--part.current === 0) past += part.cost;
    },
    release(part) {
      if (--part.users > 0) return;
      held -= part.cost;
      past -= part.cost;
    },
    held: () => held,
    past: () => past,
  };
}
