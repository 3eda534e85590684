import { ANONYMOUS, MASTERS } from '../auth/well-known.js';
import type { Clock } from '../clock/clock.js';
import type { Caller } from '../model/caller.js';
import { createAnswerBytes, type HeldBytes } from './answer-bytes.js';
import { readInFlightLimits, type InFlightLimitOptions } from './in-flight-options.js';
import { createLines, type Line } from './lines.js';
import type { Requester } from './queue.js';

/** A place that a request holds. */
export interface Place {
  /** The answer streams from here on: the place is held, but nothing of other callers waits behind this work any more. */
  streams(): void;
  /** Gives the place back. Harmless when called twice. */
  release(): void;
}

/** What a request holds a place for. A watch is open for long; the others end soon. */
export type PlaceKind = 'read' | 'write' | 'watch';

/** Who asks: a request, with the address that tells callers without a name apart. */
export interface Client extends Requester {
  readonly remoteAddress?: string | undefined;
}

/** Counts what is being served, and says whose turn it is. */
export interface InFlightLimits {
  /**
   * Takes a place: at once where one is free and nobody has to wait for this caller, else later. `undefined` means *no
   * place*: answer `tooManyRequestsText()`. A refusal takes its turn as well, so that asking again at once gains nothing.
   */
  enter(kind: PlaceKind, caller: Caller, client: Client): Place | undefined | Promise<Place | undefined>;
  /**
   * Takes room for the bytes of an answer, at once where there is any, else later. `undefined` means *no room*: others of
   * this caller, or of all, have not been taken by their clients in time.
   */
  hold(bytes: number, caller: Caller, client: Client): HeldBytes | Promise<HeldBytes | undefined>;
  /**
   * Takes room for a chunk that several watches of a caller may be sent, counted once for all of them. `undefined` means
   * *no room*.
   */
  holdChunk(chunk: Uint8Array, caller: Caller, client: Client): (() => void) | undefined;
  /**
   * The next turn of a caller, or of a client nobody knows, for work that needs no place of its own: a piece of a list, a
   * refusal, a path beside the events. `undefined` means *now*.
   */
  turn(caller: Caller | undefined, client: Client): Promise<unknown> | undefined;
}

/** What {@link createInFlightLimits} works with. */
export interface InFlightParts {
  readonly clock: Clock;
  /** Calls back in the next turn of the event loop. */
  readonly atNextTurn: (callback: () => void) => void;
}

/** What may be asked of the store for one caller at a time, while others are active: they wait in its queues behind it. */
const AT_ONCE_BESIDE_OTHERS = { read: 16, write: 32, watch: Infinity } as const;

/** The place of those who need none. */
const NO_PLACE: Place = Object.freeze<Place>({ streams: () => undefined, release: () => undefined });
const nothing = (): void => undefined;
/** The bytes of those whose answers are not counted. */
const NO_BYTES: HeldBytes = Object.freeze<HeldBytes>({ become: nothing, grow: () => true, release: nothing });

/**
 * Makes the counters and queues of one server.
 *
 * @throws TypeError listing every option that cannot be
 */
export function createInFlightLimits(
  options: InFlightLimitOptions,
  { clock, atNextTurn }: InFlightParts,
): InFlightLimits {
  const limits = readInFlightLimits(options);
  const most = { read: limits.reads, write: limits.writes, watch: limits.watches, bytes: limits.bytes };
  const mostOf = {
    read: limits.readsPerCaller,
    write: limits.writesPerCaller,
    watch: limits.watchesPerCaller,
    bytes: limits.bytesPerCaller,
  };
  const held = { read: 0, write: 0, watch: 0, bytes: 0 };
  const free = (kind: PlaceKind | 'bytes'): number => most[kind] - held[kind];
  const freeFor = (kind: PlaceKind | 'bytes', line: Line): number => {
    const left = mostOf[kind] - line.held[kind];
    if (kind === 'bytes') return left;
    const { [kind]: atOnce } = AT_ONCE_BESIDE_OTHERS;
    if (left <= 0 || line.working[kind] < atOnce) return left;
    return lines.areShared() ? atOnce - line.working[kind] : left;
  };
  const isFree = (kind: PlaceKind | 'bytes', line: Line): boolean => free(kind) > 0 && freeFor(kind, line) > 0;
  const lines = createLines({ clock, atNextTurn, waitMs: limits.queueWaitMs, free, freeFor });

  /** A class, because every request takes one: it is made without closures. */
  class HeldPlace implements Place {
    readonly #kind: PlaceKind;
    readonly #line: Line;
    #holds = true;
    #works = true;

    constructor(kind: PlaceKind, line: Line) {
      this.#kind = kind;
      this.#line = line;
      held[kind] += 1;
      line.held[kind] += 1;
      line.working[kind] += 1;
    }

    streams(): void {
      if (!this.#works) return;
      this.#works = false;
      this.#line.working[this.#kind] -= 1;
      this.#freed();
    }

    release(): void {
      if (!this.#holds) return;
      this.#holds = false;
      held[this.#kind] -= 1;
      this.#line.held[this.#kind] -= 1;
      if (this.#works) this.streams();
      else this.#freed();
    }

    #freed(): void {
      if (this.#kind !== 'watch') lines.freed(this.#kind, this.#line);
    }
  }
  const take = (kind: PlaceKind, line: Line): Place => new HeldPlace(kind, line);
  const answerBytes = createAnswerBytes({
    free: (line) => Math.min(free('bytes'), freeFor('bytes', line)),
    count(line, bytes) {
      held.bytes += bytes;
      line.held.bytes += bytes;
      if (bytes < 0) lines.freed('bytes', line);
    },
  });
  const inTurn = <T>(line: Line, client: Client, next: () => T): Promise<T | undefined> =>
    new Promise((resolve) =>
      lines.step(
        line,
        client,
        () => resolve(next()),
        () => resolve(undefined),
      ),
    );
  /** Who has no name is known by its address. */
  const lineOf = (caller: Caller | undefined, { remoteAddress = '' }: Client): Line => {
    if (caller === undefined) return lines.of(`\0unknown ${remoteAddress}`, true);
    return lines.of(caller.name === ANONYMOUS ? `\0${remoteAddress}` : caller.name, false);
  };
  const none = (): undefined => undefined;
  const isFull = (line: Line): boolean => lines.waiting >= limits.queued || line.waiting >= limits.queuedPerCaller;

  return {
    enter(kind, caller, client) {
      const line = lineOf(caller, client);
      const now = lines.mayBegin(line);
      if (kind === 'watch') {
        const watch = (): Place | undefined => (isFree(kind, line) ? take(kind, line) : undefined);
        return (now ? watch() : undefined) ?? inTurn(line, client, watch);
      }
      if (caller.groups.includes(MASTERS)) return now ? NO_PLACE : inTurn(line, client, () => NO_PLACE);
      if (now && isFree(kind, line) && !lines.mustWait(kind, line, free(kind))) return take(kind, line);
      if (isFull(line)) return inTurn(line, client, none);
      return new Promise((resolve) =>
        lines.wait(
          kind,
          line,
          client,
          () => resolve(take(kind, line)),
          () => resolve(undefined),
        ),
      );
    },
    hold(bytes, caller, client) {
      if (caller.groups.includes(MASTERS)) return NO_BYTES;
      const line = lineOf(caller, client);
      if (isFree('bytes', line) && !lines.mustWait('bytes', line, 1)) return answerBytes.take(line, bytes);
      if (isFull(line)) return inTurn(line, client, none);
      return new Promise((resolve) =>
        lines.wait(
          'bytes',
          line,
          client,
          () => resolve(answerBytes.take(line, bytes)),
          () => resolve(undefined),
        ),
      );
    },
    holdChunk(chunk, caller, client) {
      return caller.groups.includes(MASTERS) ? nothing : answerBytes.share(lineOf(caller, client), chunk);
    },
    turn(caller, client) {
      const line = lineOf(caller, client);
      return lines.mayBegin(line) ? undefined : inTurn(line, client, none);
    },
  };
}
