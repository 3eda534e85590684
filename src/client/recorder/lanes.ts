import { nextTurn, type Clock } from '../../clock/clock.js';
import { pause } from '../../clock/abortable.js';
import { isConnectionError, isStatusError, isTransportClosed } from '../contract/errors.js';
import { MAX_RETRY_AFTER_MS, pauseAfter } from '../requests/repeat.js';
import type { Series } from './series.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** How often a write that fails while the server works is repeated: the event may be the reason. */
const MAX_REPEATS = 7;
/** Temporary failures of a server, or of a gateway in front of it. */
const TEMPORARY = [408, 429, 502, 503, 504];
/** Writes between two turns of the event loop: writes to a server in the same process may complete without one. */
const WRITES_A_TURN = 8;

interface LanesOptions {
  readonly lanes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly write: (series: Series, signal: AbortSignal) => Promise<void>;
  /** A write has failed, and is repeated unless the result is true. */
  readonly failed: (series: Series, error: unknown, isFinal: boolean) => boolean;
}

/** Writes series in lanes, one per object. A failed write is repeated first: usually the server is unavailable. */
export function createLanes({ lanes: count, clock, signal, write, failed }: LanesOptions) {
  const lanes = Array.from({ length: count }, () => ({
    waiting: new Set<Series>(),
    running: false,
    // Its own, because Node warns about a signal with more than ten listeners, and each request adds some.
    signal: AbortSignal.any([signal]),
  }));
  let size = 0;

  async function run(lane: (typeof lanes)[number]): Promise<void> {
    let writes = 0;
    // Equal events that are recorded in one turn of the event loop are written as one count.
    await nextTurn();
    // A Set that grows while it is iterated is a queue whose first item is removed at no cost.
    for (const series of lane.waiting) {
      lane.waiting.delete(series);
      for (let failures = 0; !series.dropped; failures++) {
        if (++writes % WRITES_A_TURN === 0) await nextTurn();
        try {
          await write(series, lane.signal);
          break;
        } catch (error) {
          if (signal.aborted || failed(series, error, isFinal(error, failures))) break;
          const pauseMs = pauseAfter(error, failures, FIRST_DELAY_MS, MAX_DELAY_MS, MAX_RETRY_AFTER_MS);
          await pause(clock, pauseMs, lane.signal);
        }
      }
      size -= 1;
    }
    lane.running = false;
  }

  return {
    push(series: Series): void {
      const lane = lanes[hashOf(series.source) % count] as (typeof lanes)[number];
      lane.waiting.add(series);
      size += 1;
      if (lane.running) return;
      lane.running = true;
      void run(lane);
    },
    /** How many series wait or are being written. */
    size: (): number => size,
  };
}

function isFinal(error: unknown, failures: number): boolean {
  // Any other error is treated as a 500.
  const code = isStatusError(error) ? error.code : 500;
  if (isConnectionError(error) || TEMPORARY.includes(code)) return isTransportClosed(error);
  // A token may be replaced, and the event may be the reason for a 5xx.
  return (code < 500 && code !== 409 && code !== 401) || failures >= MAX_REPEATS;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) >>> 0;
  return hash;
}
