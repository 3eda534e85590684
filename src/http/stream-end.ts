/**
 * The same stream, and a call when it is over: read to its end, failed, or given up by the consumer. Called once.
 */
export function onStreamEnd(stream: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = stream[Symbol.asyncIterator]();
      let over = false;
      const end = (): void => {
        if (over) return;
        over = true;
        onEnd();
      };
      return {
        async next() {
          try {
            const step = await source.next();
            if (step.done) end();
            return step;
          } catch (error) {
            end();
            throw error;
          }
        },
        async return() {
          end();
          await source.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
