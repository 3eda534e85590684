import { checkObserver, lineOf, type ObserverOptions } from './logger-observer.js';
import type { Observe } from './observation.js';

/** What is used of `console`. */
export interface ConsoleLike {
  /** Prints an ordinary line. */
  info(...data: unknown[]): void;
  /** Prints a warning. */
  warn(...data: unknown[]): void;
  /** Prints an error. */
  error(...data: unknown[]): void;
}

/**
 * Makes an `observe` hook that writes lines of text, for services without a logger: `consoleObserver(console)`. It writes what
 * `loggerObserver` logs; unexpected errors are followed by the error itself, which `console` prints with its stack.
 *
 * @throws TypeError that lists every fault of the arguments
 */
export function consoleObserver(console: ConsoleLike, options: ObserverOptions = {}): Observe {
  checkObserver('consoleObserver', console, ['info', 'warn', 'error'], options);
  return (observation) => {
    const line = lineOf(observation, options.requests ?? 'failed');
    if (line === undefined) return;
    const { [line.level]: write } = console;
    if (observation.type === 'error') write.call(console, line.text, observation.error);
    else write.call(console, line.text);
  };
}
