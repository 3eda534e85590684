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

/** Where an error came from: a handler threw, or the source of a streamed body failed after the headers had gone. */
export type FailurePlace = 'handler' | 'stream';

/** The options that both bridges have. */
export interface BridgeOptions {
  /**
   * Path prefix this handler is mounted under, such as `/internal`. The handler sees paths without it and is not asked for
   * paths outside it. Compared exactly, as sent by the client. Default: none.
   */
  readonly basePath?: string | undefined;
  /**
   * Called with unexpected errors: the client got a bare 500, or its connection was closed. Not called for
   * clients that left. What it throws is ignored. Default: the first one of each
   * kind is a warning of the process (`process.emitWarning`).
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
   * How long, in milliseconds, a client may read nothing while bytes wait for it. A streaming answer, such as a watch or a
   * large list, is then ended: its signal aborts with the code `reader-stalled`, and the connection (over HTTP/2 the stream)
   * is closed. So is that of an answer in one piece, and after ten times as long also when the client does read, but too
   * slowly. A watch with nothing to send does not stall. More than zero; `Infinity` waits for ever. Default: 60,000.
   */
  readonly stallTimeoutMs?: number | undefined;
  /** Where time is taken from. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** The default of `stallTimeoutMs`. */
export const STALL_TIMEOUT_MS = 60_000;

/** The rules of the options that both bridges have. */
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
  throwFaults(maker, [
    ...required(mustBe((value) => typeof value === 'function', 'a function, such as health.handle'))(
      handler,
      'the handler',
    ),
    ...optionFaults(options, bridgeRules()),
  ]);
}
