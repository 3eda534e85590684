import type { Clock } from '../clock/clock.js';
import { Queue, type Requester } from './queue.js';
import { createTurns, type Share } from './turns.js';

/** What a caller waits for: a place among reads or writes, or room for the bytes of an answer. */
export type WaitKind = 'read' | 'write' | 'bytes';

/** One caller: what it holds, and what waits for it. */
export class Line implements Share {
  turn = -1;
  begun = 0;
  heardAt = 0;
  readonly unknown: boolean;
  heard = 0;
  countedFrom = 0;
  readonly held = { read: 0, write: 0, watch: 0, bytes: 0 };
  /** Places whose answers are still being made. */
  readonly working = { read: 0, write: 0, watch: 0 };
  readonly read: Queue = new Queue();
  readonly write: Queue = new Queue();
  readonly bytes: Queue = new Queue();
  /** Waits for its turn and for nothing else. */
  readonly step: Queue = new Queue();

  /** Chunks of watches that are on their way to several clients of this caller. */
  readonly chunks: Map<Uint8Array, { holders: number }> = new Map();

  constructor(unknown: boolean) {
    this.unknown = unknown;
  }

  /** Requests that wait for a place, or for room. */
  get waiting(): number {
    return this.read.length + this.write.length + this.bytes.length;
  }

  get isIdle(): boolean {
    const { read, write, watch, bytes } = this.held;
    return read + write + watch + bytes + this.waiting + this.step.length === 0;
  }
}

/** The lines of all callers: whoever is first in each of them is served in turn. */
export interface Lines {
  /** The line of a caller. Forgotten some time after its last use. */
  of(name: string, unknown: boolean): Line;
  /** Whether work of this caller may begin as it comes. */
  mayBegin(line: Line): boolean;
  /** Whether several callers are active. */
  areShared(): boolean;
  /** Whether a request that comes now has to let others of this caller, or of all, go first. */
  mustWait(kind: WaitKind, line: Line, free: number): boolean;
  /** Waits for a place, or for room; `enter` takes it. `leave` comes in its stead when none is free in time, or the request ends. */
  wait(kind: WaitKind, line: Line, requester: Requester, enter: () => void, leave: () => void): void;
  /** Waits for the caller's turn. */
  step(line: Line, requester: Requester, enter: () => void, leave: () => void): void;
  /** A place, or room, was given back. */
  freed(kind: WaitKind, line: Line): void;
  /** Requests that wait for a place, or for room. */
  readonly waiting: number;
}

/** What {@link createLines} works with. */
export interface LinesParts {
  readonly clock: Clock;
  readonly atNextTurn: (callback: () => void) => void;
  /** The longest wait for a place. */
  readonly waitMs: number;
  /** Places, or bytes, that are free in all, and for this caller. */
  readonly free: (kind: WaitKind) => number;
  readonly freeFor: (kind: WaitKind, line: Line) => number;
}

/** The order in which kinds of work are asked. */
const KINDS = ['step', 'bytes', 'read', 'write'] as const;
/** Whoever has more waiting than this sends without waiting for answers, or from very many connections. */
const FLOOD = 128;
/** How often those who wait are asked whether they still do. */
const SWEEP_MS = 250;
/** So many lines are kept beyond their use: a caller comes again. */
const KEPT_LINES = 1_000;
const IDLE_MS = 2_000;

/**
 * A line for each caller, served round-robin in turns of the event loop. Who has all the places it may have is passed over
 * until it gives one back.
 */
export function createLines({ clock, atNextTurn, waitMs, free, freeFor }: LinesParts): Lines {
  const lines = new Map<string, Line>();
  /** Lines that can be served, in the order in which they will be. */
  const ready = { step: new Set<Line>(), bytes: new Set<Line>(), read: new Set<Line>(), write: new Set<Line>() };
  let kindIndex = 0;
  let waiting = 0;
  let sweeping = false;
  let tidiedAt = -Infinity;

  const serve = (sparing: boolean): boolean => {
    for (let tried = 0; tried < KINDS.length; tried += 1) {
      kindIndex = (kindIndex + 1) % KINDS.length;
      if (serveOne(KINDS[kindIndex] ?? 'step', sparing)) return true;
    }
    return false;
  };
  const isFlood = (kind: keyof typeof ready, line: Line): boolean => line[kind].length > FLOOD;
  const serveOne = (kind: keyof typeof ready, sparing: boolean): boolean => {
    for (const line of ready[kind]) {
      if (sparing && isFlood(kind, line)) continue;
      if (kind !== 'step' && free(kind) <= 0) return false;
      ready[kind].delete(line);
      if (kind !== 'step' && freeFor(kind, line) <= 0) continue;
      const { length } = line[kind];
      const waiter = line[kind].shift();
      if (kind !== 'step') waiting -= length - line[kind].length;
      if (line[kind].length > 0) ready[kind].add(line);
      if (waiter === undefined) continue;
      waiter.enter();
      return true;
    }
    return false;
  };
  const isFlooded = (): boolean => {
    for (const kind of KINDS) for (const line of ready[kind]) if (isFlood(kind, line)) return true;
    return false;
  };
  const turns = createTurns({ clock, atNextTurn, serve, isFlooded });

  const join = (kind: keyof typeof ready, line: Line): void => {
    ready[kind].add(line);
    turns.wake();
    if (sweeping) return;
    sweeping = true;
    clock.setTimer(sweep, SWEEP_MS);
  };
  /** Who has waited for too long is refused, in its turn. */
  const sweep = (): void => {
    sweeping = false;
    const moment = clock.monotonic() - waitMs;
    let left = 0;
    for (const line of lines.values()) {
      for (const kind of KINDS) line[kind].prune();
      for (const kind of WAIT_KINDS) {
        for (const waiter of line[kind].before(moment)) line.step.push({ ...waiter, enter: waiter.leave });
        if (line[kind].length === 0) ready[kind].delete(line);
      }
      if (line.step.length > 0) join('step', line);
      left += line.waiting;
    }
    waiting = left;
    if (waiting > 0 && !sweeping) {
      sweeping = true;
      clock.setTimer(sweep, SWEEP_MS);
    }
  };
  const tidy = (): void => {
    const now = clock.monotonic();
    if (now - tidiedAt < IDLE_MS) return;
    tidiedAt = now;
    for (const [name, line] of lines) if (line.isIdle && now - line.heardAt > IDLE_MS) lines.delete(name);
  };

  return {
    of(name, unknown) {
      let line = lines.get(name);
      if (line !== undefined) return line;
      if (lines.size >= KEPT_LINES) tidy();
      line = new Line(unknown);
      lines.set(name, line);
      return line;
    },
    mayBegin: (line) => turns.mayBegin(line) && line.step.length === 0,
    areShared: () => turns.areShared(),
    mustWait: (kind, line, left) => line[kind].length > 0 || (left === 1 && ready[kind].size > 0),
    wait(kind, line, requester, enter, leave) {
      waiting += 1;
      line[kind].push({ requester, since: clock.monotonic(), enter, leave });
      join(kind, line);
    },
    step(line, requester, enter, leave) {
      line.step.push({ requester, since: clock.monotonic(), enter, leave });
      join('step', line);
    },
    freed(kind, line) {
      if (line[kind].length > 0) ready[kind].add(line);
      if (ready[kind].size > 0) turns.wake();
    },
    get waiting() {
      return waiting;
    },
  };
}

const WAIT_KINDS = ['read', 'write', 'bytes'] as const;
