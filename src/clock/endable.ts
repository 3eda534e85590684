import { onAbort } from './abortable.js';

/**
 * An iterator that `return` or `signal` can end while it waits: a generator alone would finish its wait first. The
 * generator of `begin` ends with its signal. After `return` nothing is thrown.
 */
export function endable<T>(
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncIterableIterator<T> {
  const stopping = new AbortController();
  let isLeft = false;
  const unlisten = onAbort(signal, () => stopping.abort(signal?.reason));
  const end = (): void => {
    unlisten();
    stopping.abort();
  };
  const generator = begin(stopping.signal);
  return {
    async next() {
      try {
        const result = await generator.next();
        if (result.done) end();
        return result;
      } catch (error) {
        end();
        if (isLeft) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      isLeft = true;
      end();
      await generator.return().catch(() => undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
