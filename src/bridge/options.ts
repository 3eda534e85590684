import type { Clock } from '../clock/clock.js';
import { basePathFault } from '../http/base-path.js';
import { isPromise } from '../http/promise.js';

/** Where an error escaped: a handler threw, or the source of a streamed body failed after the headers had gone. */
export type FailurePlace = 'handler' | 'stream';

/** What both bridges can be told. */
export interface BridgeOptions {
  /**
   * Path prefix this handler is mounted under, such as `/internal`: requests below it reach the handler without it,
   * all others are not ours. Compared exactly, as sent by the client. Default: none.
   */
  readonly basePath?: string | undefined;
  /**
   * Told about unexpected errors: the client got a bare 500, or a connection that broke off. Never told about
   * clients that left. What it throws is ignored. Default: errors are dropped.
   */
  readonly onError?: ((error: unknown, where: FailurePlace) => void) | undefined;
  /**
   * Most bytes of a request body this bridge ever reads, whatever the handler would accept. Default: the handler's own
   * limit alone.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The server shuts down: when it aborts, the signal of every *streaming* answer that is unfinished aborts with it, so
   * that watches end cleanly. Other answers are completed. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long, in milliseconds, a client may take nothing of what waits for it. A streaming answer, such as a watch or a large
   * list, is ended then: its signal aborts with the code `reader-stalled`, and the connection (over HTTP/2 the stream) is
   * broken off. An answer in one piece is broken off as well, also after ten times as long when it moves too slowly. A watch
   * with nothing to send does not stall. More than zero; `Infinity` waits for ever. Default: 60,000.
   */
  readonly stallTimeoutMs?: number | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** The default of `stallTimeoutMs`. */
export const STALL_TIMEOUT_MS = 60_000;

/** Throws one TypeError that names every fault of a bridge's arguments. */
export function checkBridge(maker: string, handler: unknown, options: BridgeOptions): void {
  const faults: string[] = [];
  if (typeof handler !== 'function') faults.push('the handler must be a function, such as health.handle');
  const { basePath, onError, maxBodyBytes, signal, stallTimeoutMs } = options as Readonly<
    Record<keyof BridgeOptions, unknown>
  >;
  const basePathProblem = basePathFault(basePath);
  if (basePathProblem !== undefined) faults.push(basePathProblem);
  if (onError !== undefined && typeof onError !== 'function') faults.push('onError must be a function');
  if (maxBodyBytes !== undefined && !(Number.isInteger(maxBodyBytes) && (maxBodyBytes as number) >= 0)) {
    faults.push('maxBodyBytes must be a whole number of bytes, zero or more');
  }
  if (signal !== undefined && typeof (signal as { aborted?: unknown } | null)?.aborted !== 'boolean') {
    faults.push('signal must be an AbortSignal');
  }
  if (stallTimeoutMs !== undefined && !(typeof stallTimeoutMs === 'number' && stallTimeoutMs > 0)) {
    faults.push('stallTimeoutMs must be a number of milliseconds more than zero, or Infinity');
  }
  if (faults.length > 0) throw new TypeError(`${maker}: ${faults.join('; ')}`);
}

/** Calls an error hook so that nothing it does, also later, can hurt. */
export function reportTo(onError: BridgeOptions['onError'], error: unknown, where: FailurePlace): void {
  if (onError === undefined) return;
  try {
    const pending: unknown = onError(error, where);
    // A hook may be async all the same: its rejection must not end the process.
    if (isPromise(pending)) pending.then(undefined, () => undefined);
  } catch {
    // There is nowhere left to report the hook's own failure.
  }
}
