import type { CopyProgress } from '../../index.js';

/** How long nothing is written in the beginning, and after each line. */
const PAUSE_MS = 1_000;

/**
 * Writes how far a copy is, at most one line a second; of a copy that takes less, none.
 *
 * @param now milliseconds that never go back
 */
export function createProgressLines(
  write: (line: string) => void,
  now: () => number,
): (progress: CopyProgress) => void {
  let quietUntil = now() + PAUSE_MS;
  return (progress) => {
    if (now() < quietUntil) return;
    quietUntil = now() + PAUSE_MS;
    const { remaining } = progress;
    write(`${countsOf(progress)}${remaining === undefined ? '' : `, ${remaining} still to be read`}`);
  };
}

/** The counts of a copy in words. */
export function countsOf({ copied, present, overwritten, expired, left }: Omit<CopyProgress, 'remaining'>): string {
  return `${copied} copied, ${present} already there, ${overwritten} replaced, ${expired} expired, ${left} left out`;
}
