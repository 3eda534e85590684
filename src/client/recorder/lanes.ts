import { nextTurn, type Clock } from '../../clock/clock.js';
import { pause } from '../../clock/abortable.js';
import { isConnectionError, isStatusError, isTransportClosed } from '../contract/errors.js';
import { MAX_RETRY_AFTER_MS, pauseAfter } from '../requests/repeat.js';
import type { Series } from './series.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** How often a write that fails while the server works is repeated: the event may be the reason. */
const MAX_REPEATS = 7;
/** Temporary failures of a server, of a gateway in front of it, or of the credentials: a token may be replaced. */
const TEMPORARY = [401, 408, 429, 502, 503, 504];
/** After so many writes a lane waits for a turn of the event loop: writes in the same process may complete without one. */
const WRITES_A_TURN = 8;

interface LanesOptions {
  readonly lanes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly write: (series: Series, signal: AbortSignal) => Promise<void>;
  /** A write has failed, and is repeated unless the result is true. */
  readonly failed: (series: Series, error: unknown, isFinal: boolean) => boolean;
}

/** Lanes, each with a signal of its own: Node warns about one with more than ten listeners, and each request adds some. */
function lanesOf(count: number, signal: AbortSignal) {
  const free = Array.from({ length: count }, () => AbortSignal.any([signal]));
  const waiting: ((lane: AbortSignal) => void)[] = [];
  return {
    take: (): AbortSignal | Promise<AbortSignal> => free.pop() ?? new Promise((take) => waiting.push(take)),
    release(lane: AbortSignal): void {
      const take = waiting.shift();
      if (take) take(lane);
      else free.push(lane);
    },
  };
}

/**
 * Writes series in lanes, those about one object one after the other. A failed write is repeated first, in its lane:
 * usually the server is unavailable. Where the event may be the reason, it is repeated in one lane for all of these, so
 * that events about other objects do not wait for it.
 */
export function createLanes({ lanes: count, clock, signal, write, failed }: LanesOptions) {
  const lanes = lanesOf(count, signal);
  const last = lanesOf(1, signal);
  /** The end of the last write that is known, by object. */
  const ends = new Map<string, Promise<void>>();
  let size = 0;
  let writes = 0;

  return {
    push(series: Series): void {
      const source = series.source;
      size += 1;
      // Equal events that are recorded in one turn of the event loop are written as one count.
      const end = (ends.get(source) ?? nextTurn()).then(async () => {
        let from = lanes;
        let lane = await from.take();
        let doubts = 0;
        for (let failures = 0; !series.dropped; failures++) {
          if (++writes % WRITES_A_TURN === 0) await nextTurn();
          try {
            await write(series, lane);
            break;
          } catch (error) {
            // A server that is not reached is unavailable; any other error is treated as a 500.
            const code = isTransportClosed(error)
              ? 400
              : isStatusError(error)
                ? error.code
                : isConnectionError(error)
                  ? 503
                  : 500;
            const isDoubtful = !TEMPORARY.includes(code);
            // The event may be the reason for a 5xx.
            const isFinal = isDoubtful && (++doubts > MAX_REPEATS || (code < 500 && code !== 409));
            if (signal.aborted || failed(series, error, isFinal)) break;
            if (isDoubtful) {
              from.release(lane);
              from = last;
              lane = await from.take();
            }
            await pause(clock, pauseAfter(error, failures, FIRST_DELAY_MS, MAX_DELAY_MS, MAX_RETRY_AFTER_MS), lane);
          }
        }
        from.release(lane);
        size -= 1;
        if (ends.get(source) === end) ends.delete(source);
      });
      ends.set(source, end);
    },
    /** How many series wait or are being written. */
    size: (): number => size,
  };
}
