import { ownText } from '../cache/own-text.js';
import type { Clock } from '../clock/clock.js';
import { Queue, type Requester } from './queue.js';
import type { Chunk } from './response-bytes.js';
import { CallerActivity, createScheduler } from './scheduler.js';

/** What a request waits for: a place in flight, or capacity for the bytes of a response. */
export type WaitKind = 'read' | 'write' | 'bytes';

/** The state of one caller: the places and bytes that it holds, and its waiting requests. */
export class CallerState extends CallerActivity {
  readonly held = { read: 0, write: 0, watch: 0, bytes: 0 };
  /** Places whose responses are still being made. */
  readonly working = { read: 0, write: 0, watch: 0, bytes: 0 };
  readonly read: Queue = new Queue();
  readonly write: Queue = new Queue();
  readonly bytes: Queue = new Queue();
  /** Requests that wait only to be scheduled. */
  readonly start: Queue = new Queue();

  /** Chunks of watches that several clients of this caller have not read yet. */
  readonly chunks: Map<Chunk, { holders: number }> = new Map();

  get waiting(): number {
    return this.read.length + this.write.length + this.bytes.length;
  }

  get isIdle(): boolean {
    const { read, write, watch, bytes } = this.held;
    return read + write + watch + bytes + this.waiting + this.start.length === 0;
  }
}

export interface CallerQueuesDependencies {
  readonly clock: Clock;
  readonly atNextTurn: (callback: () => void) => void;
  readonly waitMs: number;
  /** Places or bytes available in all, and to one caller. */
  readonly free: (kind: WaitKind) => number;
  readonly freeFor: (kind: WaitKind, state: CallerState) => number;
}

const WAIT_KINDS = ['bytes', 'read', 'write'] as const;
/** The order in which kinds of work are served. */
const KINDS = ['start', 'bytes', 'read', 'write'] as const;
type QueueKind = (typeof KINDS)[number];
/** A caller with more waiting requests counts as a flood: it pipelines, or has very many connections. */
const MANY_WAITING = 128;
/** How often the queues are searched for requests that have ended or waited too long. */
const SWEEP_MS = 250;
/** From this number of states on, idle ones are removed. Fewer are kept: most callers send further requests. */
const KEPT_STATES = 1_000;
const IDLE_MS = 2_000;

/** Queues for each caller, served round-robin. A caller that holds all of its places is skipped. */
export function createCallerQueues({ clock, atNextTurn, waitMs, free, freeFor }: CallerQueuesDependencies) {
  const states = new Map<string, CallerState>();
  const ready = {
    start: new Set<CallerState>(),
    bytes: new Set<CallerState>(),
    read: new Set<CallerState>(),
    write: new Set<CallerState>(),
  };
  let kindIndex = 0;
  let waiting = 0;
  let sweeping = false;
  let tidiedAt = -Infinity;

  const serve = (skipsFlooding: boolean): boolean => {
    for (let tried = 0; tried < KINDS.length; tried += 1) {
      kindIndex = (kindIndex + 1) % KINDS.length;
      if (serveOne(KINDS[kindIndex] as QueueKind, skipsFlooding)) return true;
    }
    return false;
  };
  const hasManyWaiting = (kind: QueueKind, state: CallerState): boolean => state[kind].length > MANY_WAITING;
  const serveOne = (kind: QueueKind, skipsFlooding: boolean): boolean => {
    for (const state of ready[kind]) {
      if (skipsFlooding && hasManyWaiting(kind, state)) continue;
      if (kind !== 'start' && free(kind) <= 0) return false;
      ready[kind].delete(state);
      if (kind !== 'start' && freeFor(kind, state) <= 0) continue;
      const { length } = state[kind];
      const waiter = state[kind].shift();
      if (kind !== 'start') waiting -= length - state[kind].length;
      if (state[kind].length > 0) ready[kind].add(state);
      if (waiter === undefined) continue;
      waiter.enter();
      return true;
    }
    return false;
  };
  const hasLongQueue = (): boolean => {
    for (const kind of KINDS) for (const state of ready[kind]) if (hasManyWaiting(kind, state)) return true;
    return false;
  };
  const scheduler = createScheduler({ clock, atNextTurn, serve, hasLongQueue });

  const join = (kind: QueueKind, state: CallerState): void => {
    ready[kind].add(state);
    scheduler.wake();
    sweepLater();
  };
  const sweepLater = (): void => {
    if (sweeping) return;
    sweeping = true;
    clock.setTimer(sweep, SWEEP_MS);
  };
  /** Requests that have waited for too long are refused when their caller is scheduled. */
  const sweep = (): void => {
    sweeping = false;
    const moment = clock.monotonic() - waitMs;
    let left = 0;
    for (const state of states.values()) {
      for (const kind of KINDS) state[kind].prune();
      for (const kind of WAIT_KINDS) {
        for (const waiter of state[kind].before(moment)) state.start.push({ ...waiter, enter: waiter.leave });
        if (state[kind].length === 0) ready[kind].delete(state);
      }
      if (state.start.length > 0) join('start', state);
      left += state.waiting;
    }
    waiting = left;
    if (waiting > 0) sweepLater();
  };
  const tidy = (): void => {
    const now = clock.monotonic();
    if (now - tidiedAt < IDLE_MS) return;
    tidiedAt = now;
    for (const [name, state] of states) if (state.isIdle && now - state.lastRequestAt > IDLE_MS) states.delete(name);
  };

  return {
    /** Returns the state of a caller. States may be removed when they have been idle for some time. */
    of(name: string, unauthenticated: boolean): CallerState {
      let state = states.get(name);
      if (state !== undefined) return state;
      if (states.size >= KEPT_STATES) tidy();
      state = new CallerState(unauthenticated);
      states.set(ownText(name), state);
      return state;
    },
    mayBegin: (state: CallerState): boolean => scheduler.mayBegin(state) && state.start.length === 0,
    areShared: (): boolean => scheduler.areShared(),
    hasTime: (): boolean => scheduler.hasTime(),
    /** Whether a new request has to queue behind other requests of this caller, or of all callers. */
    mustWait: (kind: WaitKind, state: CallerState, left: number): boolean =>
      state[kind].length > 0 || (left === 1 && ready[kind].size > 0),
    /** Waits for what `next` acquires, or (`start`) for the caller's turn. `undefined`: too late, or it ended. */
    wait<T>(kind: QueueKind, state: CallerState, requester: Requester, next: () => T): Promise<T | undefined> {
      return new Promise((resolve) => {
        if (kind !== 'start') waiting += 1;
        const enter = (): void => resolve(next());
        state[kind].push({ requester, since: clock.monotonic(), enter, leave: () => resolve(undefined) });
        join(kind, state);
      });
    },
    freed(kind: WaitKind, state: CallerState): void {
      if (state[kind].length > 0) ready[kind].add(state);
      if (ready[kind].size > 0) scheduler.wake();
    },
    waiting: (): number => waiting,
  };
}
