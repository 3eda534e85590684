/** Stored before a test replaces the global timers: its requests would wait forever. */
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/**
 * Resolves after the last request that is handled in this turn of the event loop, so that the answers of a turn are sent
 * together (decision 83). Returns `undefined` in runtimes without `setImmediate`. Each request has its own promise,
 * because Cloudflare Workers do not resolve those of one request in another.
 */
export function turnEnd(): Promise<void> | undefined {
  return setImmediate && new Promise<void>(setImmediate);
}
