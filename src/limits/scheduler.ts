import type { Clock } from '../clock/clock.js';

export class CallerActivity {
  /** The turn of the event loop in which `begun` was counted. */
  turn = -1;
  /** Requests that started on arrival in that turn. */
  begun = 0;
  /** Time of the caller's latest request, monotonic milliseconds. */
  lastRequestAt = 0;
  /** An unauthenticated client, such as a prober, counts as active only when it sends many requests. */
  readonly unauthenticated: boolean;
  /** Requests of an unauthenticated client since `countedFrom`. */
  requests = 0;
  countedFrom = 0;

  constructor(unauthenticated: boolean) {
    this.unauthenticated = unauthenticated;
  }
}

export interface SchedulerDependencies {
  readonly clock: Clock;
  /** Calls back in the next turn of the event loop; microtasks run between two callbacks. */
  readonly atNextTurn: (callback: () => void) => void;
  /** Starts the next piece of work; returns false if no more can start. `skipsFlooding`: callers that flood are left out. */
  readonly serve: (skipsFlooding: boolean) => boolean;
  /** Whether the queue of a caller is long enough to count as a flood. */
  readonly hasLongQueue: () => boolean;
}

/** Time in one turn for the only active caller, in ms: more than 64 connections need, and much less than 50 ms. */
const ALONE_MS = 5;
/** Time in one turn for queued work while several callers are active, in milliseconds: a new request waits for it. */
const SHARED_MS = 0.2;
/** How many requests of one caller may start in a turn without being queued while several callers are active. */
const SHARED_STARTS = 1;
/** How long a flooding caller pauses after each turn (ms) while others are active, for garbage collection's sake. */
const REST_MS = 1;
const ACTIVE_MS = 2_000;
/** An unauthenticated client that sends this many requests in that time counts as active. */
const MANY_REQUESTS = 50;
const SLOTS = { alone: 64, shared: 8 } as const;

/**
 * Limits the work that starts in one turn of the event loop, the only thread of all requests. A single active caller
 * gets nearly all the time; with two, another's request waits only for a fraction of a millisecond.
 */
export function createScheduler({ clock, atNextTurn, serve, hasLongQueue }: SchedulerDependencies) {
  let turn = 0;
  /** Start of this turn, monotonic milliseconds; undefined until work starts in it. */
  let begunAt: number | undefined;
  let armed = false;
  /** Pieces of work that may start in the next turn, and in this one. */
  let planned = 0;
  let slots = 0;
  let servedUntil = 0;
  let resting = false;
  /** Whether callers that flood are skipped in this turn. */
  let skipsFlooding = false;
  let last: CallerActivity | undefined;
  let sharedUntil = -Infinity;

  const arm = (): void => {
    if (armed) return;
    armed = true;
    atNextTurn(onTurn);
  };
  const begin = (now: number): number => {
    begunAt = now;
    arm();
    return now;
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
    skipsFlooding = shared && resting;
    if (!serve(skipsFlooding)) return;
    if (shared && !resting && hasLongQueue()) rest();
    plan(shared ? SLOTS.shared : SLOTS.alone);
  };
  const rest = (): void => {
    resting = true;
    clock.setTimer(() => {
      resting = false;
      if (planned === 0) plan(SLOTS.shared);
    }, REST_MS);
  };
  /** One piece of work per callback, so that its microtasks are measured as well. */
  const onSlot = (): void => {
    if (slots > 0 && (clock.monotonic() >= servedUntil || !serve(skipsFlooding))) slots = 0;
  };
  const plan = (count: number): void => {
    arm();
    planned = count;
    for (let slot = 1; slot < count; slot += 1) atNextTurn(onSlot);
  };
  return {
    /** Whether work of this caller may start immediately. Otherwise it has to wait until `serve` starts it. */
    mayBegin(caller: CallerActivity): boolean {
      const now = clock.monotonic();
      if (last !== caller && !(caller.unauthenticated && isQuiet(caller, now))) {
        if (last !== undefined && now - last.lastRequestAt < ACTIVE_MS) sharedUntil = now + ACTIVE_MS;
        last = caller;
      }
      caller.lastRequestAt = now;
      if (caller.turn !== turn) {
        caller.turn = turn;
        caller.begun = 0;
      }
      const since = begunAt ?? begin(now);
      if (now < sharedUntil ? caller.begun >= SHARED_STARTS : now - since >= ALONE_MS) return false;
      caller.begun += 1;
      return true;
    },
    areShared: (): boolean => clock.monotonic() < sharedUntil,
    /** Whether work of a request that has begun may go on in this turn of the event loop. */
    hasTime(): boolean {
      const now = clock.monotonic();
      return now - (begunAt ?? begin(now)) < ALONE_MS;
    },
    /** Reports waiting work: `serve` is called in the next turns, until it returns false. */
    wake(): void {
      if (planned === 0) plan(1);
    },
  };
}

function isQuiet(caller: CallerActivity, now: number): boolean {
  if (now - caller.countedFrom > ACTIVE_MS) {
    caller.countedFrom = now;
    caller.requests = 0;
  }
  caller.requests += 1;
  return caller.requests < MANY_REQUESTS;
}
