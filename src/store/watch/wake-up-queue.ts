import { type Clock, atNextTurn } from '../../clock/clock.js';
import type { Waker } from './watcher.js';

/** The time for wake-ups in one turn of the event loop, in milliseconds. */
export const TURN_MS = 5;

/** Wakes in the next turn or a later one: a thousand watchers may examine many changes for nothing. */
export function createWakeUpQueue(clock: Clock): (waker: Waker) => void {
  const queue = new Set<Waker>();
  let armed = false;
  const arm = (): void => {
    if (armed || queue.size === 0) return;
    armed = true;
    atNextTurn(wakeSome);
  };
  const wakeSome = (): void => {
    armed = false;
    const until = clock.monotonic() + TURN_MS;
    // Those that are added meanwhile wait for the next turn.
    for (const waker of [...queue]) {
      queue.delete(waker);
      waker.wake();
      if (clock.monotonic() >= until) break;
    }
    arm();
  };
  return (waker) => {
    queue.add(waker);
    arm();
  };
}
