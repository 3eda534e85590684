import type { SkippedEvent, CopyProgress } from '../../index.js';

/** How many skipped events are listed by name. */
const MAX_LISTED = 100;

const REASONS: Readonly<Record<SkippedEvent['why'], string>> = {
  different: 'TO has another event of that name (--overwrite replaces it)',
  'too-large': 'it is too large for TO',
  'invalid-key': 'TO takes no event of that name',
};

/** Options of {@link createLeftOut}. */
export interface LeftOutOptions {
  /** Whether the copy goes on without events that TO refuses. */
  readonly skipRefused: boolean;
  readonly write: (line: string) => void;
}

/**
 * Names each event that is left out, the first hundred of them.
 *
 * @returns a function that throws an Error for a refused event where the copy has to end
 */
export function createLeftOut({ skipRefused, write }: LeftOutOptions): (skipped: SkippedEvent) => void {
  let count = 0;
  return ({ key, why }) => {
    const what = `${key.namespace}/${key.name}: ${REASONS[why]}`;
    if (why !== 'different' && !skipRefused) throw new Error(`${what} (--skip-refused goes on without such events)`);
    count += 1;
    if (count <= MAX_LISTED) write(`left out: ${what}`);
    else if (count === MAX_LISTED + 1) write('left out: more events, which are counted and not named');
  };
}

/** The shortest time before the first line and between two lines. */
const PAUSE_MS = 1_000;

/**
 * Reports the progress of a copy, at most one line a second; a copy that takes less time has none.
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
