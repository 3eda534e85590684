/** Longer than any process lives between two wake-ups; timers take no more. */
const LONGEST_MS = 2_147_483_647;

/**
 * Keeps the process alive until the returned function is called. The timers of the library's clock do not, so that a program that
 * does nothing but follow would end in the pause after a lost connection.
 */
export function keepProcess(): () => void {
  const timer = setInterval(() => undefined, LONGEST_MS);
  return () => clearInterval(timer);
}
