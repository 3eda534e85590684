import { pause } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';

/** Collects batches of at most `size`; their first item waits at most `ms` for others. One item is read ahead. */
export async function* batchesOf<T>(
  items: AsyncIterableIterator<T>,
  size: number,
  ms: number,
  clock: Clock,
): AsyncGenerator<readonly T[], void, undefined> {
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = items.next();
    // It may fail while a batch is worked on; then it is awaited later.
    asked.catch(() => undefined);
    return asked;
  };
  let next = ask();
  for (;;) {
    const first = await next;
    if (first.done) return;
    const batch = [first.value];
    const complete = new AbortController();
    const late = pause(clock, ms, complete.signal);
    next = ask();
    try {
      while (batch.length < size) {
        const result = await Promise.race([next, late]);
        if (!result || result.done) break;
        batch.push(result.value);
        next = ask();
      }
    } finally {
      complete.abort();
    }
    yield batch;
  }
}
