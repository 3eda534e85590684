import { roundedMs } from '../clock/clock.js';
import { safeText } from '../json/safe-text.js';
import { checkOptions, throwFaults } from '../options/check-options.js';
import { anObjectWith, oneOf, required } from '../options/rules.js';
import { errorText } from './error-text.js';
import type { Observation, Observe } from './observation.js';

/** A logger with the interface of pino: fields, then the text. */
export interface LoggerLike {
  /** Logs something ordinary. */
  info(fields: object, text: string): void;
  /** Logs a warning. */
  warn(fields: object, text: string): void;
  /** Logs an error. */
  error(fields: object, text: string): void;
}

/** The methods of `console` that are used. */
export interface ConsoleLike {
  /** Prints an ordinary line. */
  info(...data: unknown[]): void;
  /** Prints a warning. */
  warn(...data: unknown[]): void;
  /** Prints an error. */
  error(...data: unknown[]): void;
}

/** Options of `loggerObserver` and `consoleObserver`. */
export interface ObserverOptions {
  /** Which requests of the Event API are logged. Default: `failed`, those with a 5xx response. */
  readonly requests?: 'failed' | 'all' | 'none' | undefined;
}

interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  readonly fields: object;
}

function createObserver(
  where: string,
  logger: unknown,
  options: ObserverOptions,
  write: (line: LogLine, observation: Observation) => void,
): Observe {
  const methods = ['info', 'warn', 'error'];
  throwFaults(where, required(anObjectWith(methods, `an object with ${methods.join(', ')}`))(logger, 'the logger'));
  checkOptions(where, options, { requests: oneOf('failed', 'all', 'none') });
  return (observation) => {
    const line = lineOf(observation, options.requests ?? 'failed');
    if (line !== undefined) write(line, observation);
  };
}

/**
 * Creates an `observe` hook that logs what an operator needs: unexpected errors and recoveries; changes of health
 * checks and of the watch cache; dropped events; requests according to the options. Errors are in the field `err`,
 * which pino prints with stack and causes. Pass it to `createHealth`, or to `createMetrics` for both logs and metrics.
 *
 * @param logger a pino logger, or any object with `info`, `warn` and `error` that accept fields and a text
 * @throws TypeError that lists every fault of the arguments
 */
export function loggerObserver(logger: LoggerLike, options: ObserverOptions = {}): Observe {
  return createObserver('loggerObserver', logger, options, ({ level, fields, text }) => logger[level](fields, text));
}

/**
 * Creates an `observe` hook that writes lines of text, for services without a logger: `consoleObserver(console)`. It
 * writes the observations that `loggerObserver` logs; unexpected errors are followed by the error itself, which
 * `console` prints with its stack.
 *
 * @throws TypeError that lists every fault of the arguments
 */
export function consoleObserver(console: ConsoleLike, options: ObserverOptions = {}): Observe {
  return createObserver('consoleObserver', console, options, ({ level, text }, observation) => {
    const { [level]: write } = console;
    write.call(console, text, ...(observation.type === 'error' ? [observation.error] : []));
  });
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function lineOf(observation: Observation, requests: 'failed' | 'all' | 'none'): LogLine | undefined {
  switch (observation.type) {
    case 'error': {
      const { error: err, where, count } = observation;
      const text = `error in ${where}: ${errorText(err)}`;
      return { level: 'error', text, fields: { err, where, ...(count !== undefined && { count }) } };
    }
    case 'recovered': {
      const { where, count, durationMs } = observation;
      const text = `${where} works again after ${counted(count, 'failure')} in ${Math.round(durationMs)} ms`;
      return { level: 'info', text, fields: { where, count, durationMs: roundedMs(durationMs) } };
    }
    case 'health.changed': {
      const { check, status, reason, error: err } = observation;
      const text = `check ${check} is ${status}${reason === undefined ? '' : `: ${reason}`}`;
      // At each deployment the check `shutdown` fails, and post-start hooks are not finished; one that failed has an error.
      const isDeployment = check === 'shutdown' || (err === undefined && check.startsWith('poststarthook/'));
      const normal = status === 'ok' || isDeployment;
      const level = normal ? 'info' : status === 'degraded' ? 'warn' : 'error';
      return { level, text, fields: { check, status, ...(err !== undefined && { err }) } };
    }
    case 'cache.changed': {
      const { store, state, events, bytes, error: err } = observation;
      const text = `the watch cache of ${store} is ${state}${err === undefined ? '' : `: ${errorText(err)}`}`;
      const level = state === 'stale' || state === 'full' ? 'warn' : 'info';
      return { level, text, fields: { store, state, events, bytes, ...(err !== undefined && { err }) } };
    }
    case 'recorder.dropped': {
      const { recorder, reason, count, error: err, event } = observation;
      const text = `the recorder ${recorder} dropped ${counted(count, 'event')} (${reason}): ${errorText(err)}`;
      return { level: 'warn', text, fields: { recorder, reason, count, err, ...(event && { event }) } };
    }
    case 'request': {
      const { type: _type, ...fields } = observation;
      const failed = observation.status >= 500;
      if (requests === 'none' || (requests === 'failed' && !failed)) return undefined;
      const { verb, url, status, durationMs } = observation;
      // Clients choose the method and the URL.
      return {
        level: failed ? 'error' : 'info',
        text: `${safeText(`${verb} ${url}`.slice(0, 1_024))} ${status}`,
        fields: { ...fields, durationMs: roundedMs(durationMs) },
      };
    }
    default:
      return undefined;
  }
}
