import { immediately, nextTurn } from '../../clock/clock.js';

/**
 * Resolves after the last request that is handled in this turn of the event loop, so that the responses of a turn are
 * sent together (decision 83). Returns `undefined` in runtimes without `setImmediate`. Each request has its own
 * promise, because Cloudflare Workers do not resolve those of one request in another.
 */
export function turnEnd(): Promise<void> | undefined {
  return immediately && nextTurn();
}
