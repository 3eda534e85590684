import { immediately, nextTurn } from '../../clock/clock.js';

/**
 * Resolves after the last request of this turn, so that its responses are sent together (decision 83). One promise per
 * request, because Cloudflare Workers do not resolve those of one request in another.
 */
export function turnEnd(): Promise<void> | undefined {
  return immediately && nextTurn();
}
