import { ANONYMOUS, MASTERS } from '../auth/contract.js';
import type { Clock } from '../clock/clock.js';
import type { Caller } from '../model/caller.js';
import { createResponseBytes, type Chunk, type HeldBytes } from './response-bytes.js';
import { readInFlightLimits, type InFlightLimitOptions } from './in-flight-options.js';
import { createCallerQueues, type CallerState } from './caller-queues.js';
import type { Requester } from './queue.js';

export interface Place {
  /** Reports that the response streams from now on: the place is still held, but no longer counts as work. */
  streams(): void;
  /** Releases the place. May be called twice. */
  release(): void;
}

/** The kind of a request. Watches are long-lived and have limits of their own. */
export type PlaceKind = 'read' | 'write' | 'watch';

/** The sender of a request, with the address that distinguishes anonymous callers. */
export interface Client extends Requester {
  readonly remoteAddress?: string | undefined;
}

export type InFlightLimits = ReturnType<typeof createInFlightLimits>;

export interface InFlightDependencies {
  readonly clock: Clock;
  readonly atNextTurn: (callback: () => void) => void;
  /** Called for every acquired place, with the numbers of places that are held: the same object each time. */
  readonly taken?: ((kind: PlaceKind, held: Readonly<Record<PlaceKind, number>>) => void) | undefined;
}

const nothing = (): undefined => undefined;

/** The most concurrent store calls of one caller while others, whose calls queue behind them, are active. */
const STORE_CALLS_BESIDE_OTHERS = { read: 16, write: 32, watch: Infinity, bytes: Infinity } as const;

const NO_PLACE: Place = Object.freeze<Place>({ streams: nothing, release: nothing });
const NO_BYTES: HeldBytes = Object.freeze<HeldBytes>({ become: nothing, grow: () => true, release: nothing });

/** Counts the requests in flight and schedules their callers fairly. The options are valid. */
export function createInFlightLimits(
  options: InFlightLimitOptions,
  { clock, atNextTurn, taken }: InFlightDependencies,
) {
  const limits = readInFlightLimits(options);
  const max = { read: limits.reads, write: limits.writes, watch: limits.watches, bytes: limits.bytes };
  const maxPerCaller = {
    read: limits.readsPerCaller,
    write: limits.writesPerCaller,
    watch: limits.watchesPerCaller,
    bytes: limits.bytesPerCaller,
  };
  const held = { read: 0, write: 0, watch: 0, bytes: 0 };
  const free = (kind: PlaceKind | 'bytes'): number => max[kind] - held[kind];
  const freeFor = (kind: PlaceKind | 'bytes', state: CallerState): number => {
    const left = maxPerCaller[kind] - state.held[kind];
    const beside = STORE_CALLS_BESIDE_OTHERS[kind] - state.working[kind];
    return beside > 0 || !queues.areShared() ? left : Math.min(left, beside);
  };
  const isFree = (kind: PlaceKind | 'bytes', state: CallerState): boolean => free(kind) > 0 && freeFor(kind, state) > 0;
  const queues = createCallerQueues({ clock, atNextTurn, waitMs: limits.queueWaitMs, free, freeFor });

  /** A class, because every request creates one: no closures. */
  class HeldPlace implements Place {
    readonly #kind: PlaceKind;
    readonly #state: CallerState;
    #holds = true;
    #works = true;

    constructor(kind: PlaceKind, state: CallerState) {
      this.#kind = kind;
      this.#state = state;
      held[kind] += 1;
      taken?.(kind, held);
      state.held[kind] += 1;
      state.working[kind] += 1;
    }

    streams(): void {
      if (!this.#works) return;
      this.#works = false;
      this.#state.working[this.#kind] -= 1;
      this.#freed();
    }

    release(): void {
      if (!this.#holds) return;
      this.#holds = false;
      held[this.#kind] -= 1;
      this.#state.held[this.#kind] -= 1;
      this.streams();
      this.#freed();
    }

    #freed(): void {
      if (this.#kind !== 'watch') queues.freed(this.#kind, this.#state);
    }
  }
  const responseBytes = createResponseBytes(
    (state, bytes) => {
      held.bytes += bytes;
      state.held.bytes += bytes;
      queues.freed('bytes', state);
    },
    (state) => Math.min(free('bytes'), freeFor('bytes', state)),
  );
  /** Anonymous callers and unauthenticated clients are identified by their address. It is not read for others. */
  const stateOf = (caller: Caller | undefined, client: Client): CallerState => {
    if (caller !== undefined && caller.name !== ANONYMOUS) return queues.of(caller.name, false);
    const { remoteAddress = '' } = client;
    return caller ? queues.of(`\0${remoteAddress}`, false) : queues.of(`\0unknown ${remoteAddress}`, true);
  };
  const isFull = (state: CallerState): boolean =>
    queues.waiting() >= limits.queued || state.waiting >= limits.queuedPerCaller;

  return {
    /** Acquires a place, at once if one is free. `undefined`: respond with 429; refusals wait for their turn, too. */
    enter(kind: PlaceKind, caller: Caller, client: Client): Place | undefined | Promise<Place | undefined> {
      const state = stateOf(caller, client);
      const now = queues.mayBegin(state);
      if (kind === 'watch') {
        const watch = (): Place | undefined => (isFree(kind, state) ? new HeldPlace(kind, state) : undefined);
        return (now ? watch() : undefined) ?? queues.wait('start', state, client, watch);
      }
      if (caller.groups.includes(MASTERS)) return now ? NO_PLACE : queues.wait('start', state, client, () => NO_PLACE);
      if (now && isFree(kind, state) && !queues.mustWait(kind, state, free(kind))) return new HeldPlace(kind, state);
      if (isFull(state)) return queues.wait('start', state, client, nothing);
      return queues.wait(kind, state, client, () => new HeldPlace(kind, state));
    },
    /** Acquires capacity for the bytes of a response. `undefined`: clients did not read other responses in time. */
    hold(bytes: number, caller: Caller, client: Client): HeldBytes | Promise<HeldBytes | undefined> {
      if (caller.groups.includes(MASTERS)) return NO_BYTES;
      const state = stateOf(caller, client);
      if (isFree('bytes', state) && !queues.mustWait('bytes', state, 1)) return responseBytes.take(state, bytes);
      if (isFull(state)) return queues.wait('start', state, client, nothing);
      return queues.wait('bytes', state, client, () => responseBytes.take(state, bytes));
    },
    /** As `hold`, for a chunk that several watches of a caller share, counted once. Returns its release. */
    holdChunk(chunk: Chunk, caller: Caller, client: Client): (() => void) | undefined {
      return caller.groups.includes(MASTERS) ? nothing : responseBytes.share(stateOf(caller, client), chunk);
    },
    /** Schedules work that needs no place, such as a part of a list or a refusal. `undefined`: it may start now. */
    turn(caller: Caller | undefined, client: Client): Promise<unknown> | undefined {
      const state = stateOf(caller, client);
      return queues.mayBegin(state) ? undefined : queues.wait('start', state, client, nothing);
    },
    /**
     * Schedules a step of a request that has a place since an earlier turn of the event loop. `undefined`: it may start
     * now. A long one always waits: of what starts at once, the scheduler does not know how long it takes.
     */
    step(caller: Caller, client: Client, isLong: boolean): Promise<unknown> | undefined {
      if (!isLong && queues.hasTime()) return undefined;
      const state = stateOf(caller, client);
      // Its caller is active.
      queues.mayBegin(state);
      return queues.wait('start', state, client, nothing);
    },
  };
}
