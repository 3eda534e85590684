import type { Clock } from '../../clock/clock.js';
import { storeError } from '../contract/errors.js';
import { untilAborted } from '../../clock/abortable.js';

/** The deadline and the signal of a call of the store, and what is known about its attempts. */
export interface CallContext {
  /** On the monotonic clock. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
  /** An attempt of a write was lost: its outcome is unknown. */
  outcomeUnknown: boolean;
  /** A write was refused for lack of space, and yet the key had changed. */
  changed?: boolean;
}

/** Shared work with the same deadline fails first, because it knows why. */
const GRACE_MS = 20;

/** Waits for work shared with other calls, until the deadline of this call; then fails with `unavailable`. */
export async function withinDeadline<T>(clock: Clock, shared: Promise<T>, { end, signal }: CallContext): Promise<T> {
  const late = new AbortController();
  const timer = clock.setTimer(
    () => late.abort(storeError('unavailable', 'etcd did not respond in time')),
    Math.max(0, end - clock.monotonic()) + GRACE_MS,
  );
  return untilAborted(untilAborted(shared, late.signal), signal).finally(() => timer.cancel());
}
