import { ANONYMOUS, MASTERS } from '../auth/well-known.js';
import type { Clock } from '../clock/clock.js';
import type { Caller } from '../model/caller.js';
import { readInFlightLimits, type InFlightLimitOptions } from './in-flight-options.js';
import { createLines, type Line } from './lines.js';
import type { Requester } from './queue.js';

/** Gives a place back. Harmless when called twice. */
export type Release = () => void;

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
  enter(kind: PlaceKind, caller: Caller, client: Client): Release | undefined | Promise<Release | undefined>;
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

const nothing: Release = () => undefined;

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
  const most = { read: limits.reads, write: limits.writes, watch: limits.watches };
  const mostOf = { read: limits.readsPerCaller, write: limits.writesPerCaller, watch: limits.watchesPerCaller };
  const held = { read: 0, write: 0, watch: 0 };
  const free = (kind: PlaceKind): number => most[kind] - held[kind];
  const freeFor = (kind: PlaceKind, line: Line): number => mostOf[kind] - line.held[kind];
  const isFree = (kind: PlaceKind, line: Line): boolean => free(kind) > 0 && freeFor(kind, line) > 0;
  const lines = createLines({ clock, atNextTurn, waitMs: limits.queueWaitMs, free, freeFor });

  const take = (kind: PlaceKind, line: Line): Release => {
    held[kind] += 1;
    line.held[kind] += 1;
    let mine = true;
    return () => {
      if (!mine) return;
      mine = false;
      held[kind] -= 1;
      line.held[kind] -= 1;
      if (kind !== 'watch') lines.freed(kind, line);
    };
  };
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

  return {
    enter(kind, caller, client) {
      const line = lineOf(caller, client);
      const now = lines.mayBegin(line);
      if (kind === 'watch') {
        const watch = (): Release | undefined => (isFree(kind, line) ? take(kind, line) : undefined);
        return (now ? watch() : undefined) ?? inTurn(line, client, watch);
      }
      if (caller.groups.includes(MASTERS)) return now ? nothing : inTurn(line, client, () => nothing);
      if (now && isFree(kind, line) && !lines.mustWait(kind, line, free(kind))) return take(kind, line);
      if (lines.waiting >= limits.queued || line.waiting >= limits.queuedPerCaller) return inTurn(line, client, none);
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
    turn(caller, client) {
      const line = lineOf(caller, client);
      return lines.mayBegin(line) ? undefined : inTurn(line, client, none);
    },
  };
}
