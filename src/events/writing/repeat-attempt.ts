import { pause } from '../../clock/abortable.js';
import type { VerbCall } from '../request/call.js';

/** Attempts that follow one another at once: many clients may write one event at the same time. */
const AT_ONCE = 8;
const PAUSE_MS = 10;

/**
 * Repeats an attempt until it has a result. Later ones wait, so that a store whose reads contradict its writes blocks
 * no other request, and the deadline of this one can pass. @throws the abort reason of the request, when it has ended
 */
export async function repeatAttempt<T>(
  { dependencies, life }: VerbCall,
  attempt: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (attempts >= AT_ONCE) await pause(dependencies.clock, PAUSE_MS, life.signal);
    life.throwIfAborted();
  }
}
