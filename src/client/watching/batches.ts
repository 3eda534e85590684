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
    const due = clock.monotonic() + ms;
    next = ask();
    while (batch.length < size) {
      const result = await within(next, due - clock.monotonic(), clock);
      if (result === undefined) break;
      if (result.done) return;
      batch.push(result.value);
      next = ask();
    }
    yield batch;
  }
}

/** The result, or `undefined` after a time. */
function within<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => resolve(undefined), ms);
    promise.finally(() => timer.cancel()).then(resolve, reject);
  });
}
