import type { Clock } from '../clock/clock.js';

/** What {@link createTurns} keeps of one caller. */
export interface Share {
  /** The turn of the event loop in which `begun` was counted. */
  turn: number;
  /** Requests that began in that turn as they came. */
  begun: number;
  /** When the caller was last heard of, monotonic milliseconds. */
  heardAt: number;
  /** Clients nobody knows, such as probes: they count as active only when they send much. */
  readonly unknown: boolean;
  /** How often such a client was heard of since `countedFrom`. */
  heard: number;
  countedFrom: number;
}

/** How much work begins in one turn of the event loop. */
export interface Turns {
  /** Whether work of this caller may begin as it comes. What may not has to wait until it is served. */
  mayBegin(share: Share): boolean;
  /** Whether several callers are active. */
  areShared(): boolean;
  /** Something waits: `serve` is called in the turns to come, until it says that no more can begin. */
  wake(): void;
}

/** What {@link createTurns} works with. */
export interface TurnsParts {
  readonly clock: Clock;
  /** Calls back in the next turn of the event loop, microtasks between two callbacks. */
  readonly atNextTurn: (callback: () => void) => void;
  /** Begins the work that is next, if there is any; false when no more can begin. `sparing`: passes floods over. */
  readonly serve: (sparing: boolean) => boolean;
  /** Whether a caller has sent far more than is being answered. */
  readonly isFlooded: () => boolean;
}

/** Work of the only caller begins for so long in a turn: far above what 64 connections bring, and far below 50 ms. */
const ALONE_MS = 5;
/** Where several callers are active, work that waited begins for so long in a turn: what a newcomer waits for. */
const SHARED_MS = 0.2;
/** Requests of one of several callers that begin as they come, in a turn. */
const SHARED_BEGINNINGS = 1;
/**
 * How long a flood waits after each turn in which something that waited has begun, where there are several callers: the loop
 * would never be idle otherwise, and its garbage would be everybody's pause.
 */
const REST_MS = 1;
/** Callers that were heard of within this time are active. */
const ACTIVE_MS = 2_000;
/** What an unknown client may send in that time without being active. */
const FEW = 50;
const SLOTS = { alone: 64, shared: 8 } as const;

/**
 * Cuts the work of callers into turns of the event loop. Answers need one thread, so what an unbounded caller takes from
 * others is time: its requests that begin before theirs. As long as only one caller is active it has nearly all of it; as
 * soon as there are two, a turn is kept so short that a request of the other one waits for a fraction of a millisecond.
 */
export function createTurns({ clock, atNextTurn, serve, isFlooded }: TurnsParts): Turns {
  let turn = 0;
  /** Monotonic milliseconds; undefined until something begins in this turn. */
  let begunAt: number | undefined;
  let armed = false;
  /** Pieces of work that may begin in the next turn, and in this one. */
  let planned = 0;
  let slots = 0;
  let servedUntil = 0;
  let resting = false;
  /** Whether floods are passed over in this turn. */
  let sparing = false;
  let last: Share | undefined;
  let sharedUntil = -Infinity;

  const arm = (): void => {
    if (armed) return;
    armed = true;
    atNextTurn(onTurn);
  };
  const onTurn = (): void => {
    armed = false;
    turn += 1;
    begunAt = undefined;
    slots = planned;
    planned = 0;
    if (slots === 0) return;
    const now = clock.monotonic();
    const shared = now < sharedUntil;
    servedUntil = now + (shared ? SHARED_MS : ALONE_MS);
    sparing = shared && resting;
    if (!serve(sparing)) return;
    if (shared && !resting && isFlooded()) rest();
    plan(shared ? SLOTS.shared : SLOTS.alone);
  };
  const rest = (): void => {
    resting = true;
    clock.setTimer(() => {
      resting = false;
      if (planned === 0) plan(SLOTS.shared);
    }, REST_MS);
  };
  /** One piece of work in each callback, so that what it does in microtasks counts as well. */
  const onSlot = (): void => {
    if (slots > 0 && (clock.monotonic() >= servedUntil || !serve(sparing))) slots = 0;
  };
  const plan = (count: number): void => {
    arm();
    planned = count;
    for (let slot = 1; slot < count; slot += 1) atNextTurn(onSlot);
  };
  return {
    mayBegin(share) {
      const now = clock.monotonic();
      if (last !== share && !(share.unknown && isQuiet(share, now))) {
        if (last !== undefined && now - last.heardAt < ACTIVE_MS) sharedUntil = now + ACTIVE_MS;
        last = share;
      }
      share.heardAt = now;
      if (share.turn !== turn) {
        share.turn = turn;
        share.begun = 0;
      }
      if (begunAt === undefined) {
        begunAt = now;
        arm();
      }
      if (now < sharedUntil ? share.begun >= SHARED_BEGINNINGS : now - begunAt >= ALONE_MS) return false;
      share.begun += 1;
      return true;
    },
    areShared: () => clock.monotonic() < sharedUntil,
    wake() {
      if (planned === 0) plan(1);
    },
  };
}

function isQuiet(share: Share, now: number): boolean {
  if (now - share.countedFrom > ACTIVE_MS) {
    share.countedFrom = now;
    share.heard = 0;
  }
  share.heard += 1;
  return share.heard < FEW;
}
