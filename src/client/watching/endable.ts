/**
 * An iterator that can be ended while it waits: a generator alone would finish its wait first, and a watch may wait for ever.
 *
 * @param signal ends it from outside
 * @param begin makes the generator, which ends when its signal is aborted
 */
export function endable<T>(
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncIterableIterator<T> {
  const ending = new AbortController();
  const end = (): void => {
    signal?.removeEventListener('abort', end);
    ending.abort(signal?.reason);
  };
  if (signal?.aborted) end();
  else signal?.addEventListener('abort', end, { once: true });
  const generator = begin(ending.signal);
  const next = async (): Promise<IteratorResult<T>> => {
    const result = await generator.next().catch((error: unknown) => {
      end();
      throw error;
    });
    if (result.done) end();
    return result;
  };
  return {
    next,
    return() {
      end();
      return generator.return(undefined) as Promise<IteratorResult<T>>;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
