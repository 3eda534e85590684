import { setTimeout as pause } from 'node:timers/promises';

/** The work's result, or an error that names what took too long. */
export async function within<T>(deadlineMs: number, what: string, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = pause(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`${what} took longer than ${deadlineMs} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/** Polls until the condition holds. */
export async function until(
  what: string,
  asked: () => boolean | Promise<boolean>,
  deadlineMs = 30_000,
  everyMs = 20,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await asked())) {
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await pause(everyMs);
  }
}
