/** Data that several events share, with reference counts. */
export interface HeldPart {
  readonly cost: number;
  /** How many events refer to it, and how many of these are current. */
  users: number;
  current: number;
}

export function createHeldParts() {
  let held = 0;
  let past = 0;
  return {
    hold(part: HeldPart): void {
      if (part.users === 0) held += part.cost;
      else if (part.current === 0) past -= part.cost;
      part.users += 1;
      part.current += 1;
    },
    /** One of its events is no longer current. */
    supersede(part: HeldPart): void {
      if (--part.current === 0) past += part.cost;
    },
    /** One of its events was released. */
    release(part: HeldPart): void {
      if (--part.users > 0) return;
      held -= part.cost;
      past -= part.cost;
    },
    held: (): number => held,
    /** The part of `held()` that only history refers to. */
    past: (): number => past,
  };
}
