import { MAX_DELAY_MS } from './clock.js';

/** Keeps the process alive until the returned function is called: timers of the library's clock do not keep it. */
export function keepProcessAlive(): () => void {
  const timer = setInterval(() => undefined, MAX_DELAY_MS);
  return () => clearInterval(timer);
}
