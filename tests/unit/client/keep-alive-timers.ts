import { onTestFinished, vi } from 'vitest';

/** Counts the timers by which the library keeps the process alive: intervals, until the end of the test. */
export function countKeepAliveTimers(): () => number {
  const running = new Set<unknown>();
  const { setInterval: set, clearInterval: clear } = globalThis;
  vi.stubGlobal('setInterval', (...given: Parameters<typeof set>) => {
    const timer = set(...given);
    running.add(timer);
    return timer;
  });
  vi.stubGlobal('clearInterval', (timer: NodeJS.Timeout) => {
    running.delete(timer);
    clear(timer);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => running.size;
}
