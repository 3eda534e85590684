import { pause } from '../../clock/abortable.js';
import { chain } from '../../http/promise.js';
import type { EventRecord } from '../../store/contract/record.js';
import { inTurn, keyOf, type VerbCall } from '../request/call.js';
import { canChangeAtOnce, readStored } from '../request/stored-event.js';

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

/**
 * Reads the event in the path and changes it, until `change` has a result. One request at a time changes an event,
 * because the attempts of the others would fail: at once, where the store can, or else in the order of the requests.
 */
export function attemptChange<T>(
  call: VerbCall,
  change: (record: EventRecord | undefined) => T | undefined | Promise<T | undefined>,
): T | Promise<T> {
  const { life, dependencies } = call;
  if (canChangeAtOnce(dependencies)) {
    const attempt = (): T | undefined | Promise<T | undefined> => chain(readStored(call), change);
    return chain(attempt(), (result) => result ?? repeatAttempt(call, attempt));
  }
  return dependencies.eventMutex(keyOf(call), life.signal, async () => {
    life.throwIfAborted();
    return repeatAttempt(call, async () => {
      const record = await readStored(call);
      // Many reads may be responded to at once.
      return inTurn(call, () => change(record));
    });
  });
}
