import type { Clock } from '../../clock/clock.js';
import { aBasePath } from '../../http/base-path.js';
import { optionFaults, throwFaults, type OptionRules } from '../../options/check-options.js';
import {
  aClock,
  aFunction,
  anAbortSignal,
  aPositiveNumber,
  aWholeNumber,
  mustBe,
  orInfinity,
  required,
} from '../../options/rules.js';

/** Where an error occurred: a handler threw, or the source of a streamed body failed after the headers were sent. */
export type FailurePlace = 'handler' | 'stream';

/** The options that both bridges have. */
export interface BridgeOptions {
  /**
   * Path prefix this handler is mounted under, such as `/internal`. The handler gets paths without it and is not called
   * for paths outside it. Compared exactly, as sent by the client. Default: none.
   */
  readonly basePath?: string | undefined;
  /**
   * Called with unexpected errors: the client got a bare 500, or its connection was closed. Not called for clients that
   * disconnected. Errors that it throws are ignored. Default: the first error of each kind is a warning of the process
   * (`process.emitWarning`).
   */
  readonly onError?: ((error: unknown, where: FailurePlace) => void) | undefined;
  /**
   * The most bytes of a request body that this bridge reads, even if the handler accepts more. Default: only the limit
   * of the handler applies.
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Abort it when the server shuts down: the signal of every unfinished *streaming* response is then aborted as well,
   * so that watches end cleanly. Other responses are completed. Default: none.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long, in milliseconds, a client may read nothing while bytes wait for it. A streaming response, such as a watch
   * or a large list, is then ended: its signal aborts with the code `reader-stalled`, and the connection (over HTTP/2
   * the stream) is closed. A response in one piece is ended in the same way, and also after ten times this time if the
   * client reads too slowly. A watch with nothing to send does not stall. More than zero; `Infinity` means no limit.
   * Default: 60,000.
   */
  readonly stallTimeoutMs?: number | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

export const STALL_TIMEOUT_MS = 60_000;

export const bridgeRules = (): OptionRules<BridgeOptions> => ({
  basePath: aBasePath,
  onError: aFunction,
  maxBodyBytes: aWholeNumber(0),
  signal: anAbortSignal,
  stallTimeoutMs: orInfinity(aPositiveNumber),
  clock: aClock,
});

/** @throws TypeError listing every fault of a bridge's arguments */
export function checkBridge(maker: string, handler: unknown, options: BridgeOptions): void {
  const aHandler = required(mustBe((value) => typeof value === 'function', 'a function, such as health.handle'));
  throwFaults(maker, [...aHandler(handler, 'the handler'), ...optionFaults(options, bridgeRules())]);
}
