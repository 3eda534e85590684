import { pause } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';

/** How long an operation waits in all while another program has locked the file, in milliseconds. */
const LOCKED_MS = 5000;
const PAUSE_MS = 50;

export interface LockedOptions {
  readonly clock: Clock;
  readonly forMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats what another program's lock refuses. Not in the database's thread, where reads would wait for it. */
export async function whileLocked<T>(
  send: () => Promise<T>,
  isLocked: (response: T) => boolean,
  { clock, forMs = LOCKED_MS, signal }: LockedOptions,
): Promise<T> {
  const end = clock.monotonic() + forMs;
  for (;;) {
    const response = await send();
    if (!isLocked(response) || signal?.aborted === true || clock.monotonic() + PAUSE_MS >= end) return response;
    await pause(clock, PAUSE_MS, signal).finally(keepProcessAlive());
  }
}
