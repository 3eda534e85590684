import { MAX_DELAY_MS } from './clock.js';

/**
 * Keeps the process alive until the returned function is called. The timers of the library's clock do not keep it
 * alive: a program that only waits for one of them would end.
 */
export function keepProcessAlive(): () => void {
  const timer = setInterval(() => undefined, MAX_DELAY_MS);
  return () => clearInterval(timer);
}
