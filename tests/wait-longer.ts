import { vi } from 'vitest';

/** As long as a busy machine may need; the limit of `expect.poll` is in the configuration. */
const WAIT_MS = 20_000;

// Runs before each test file: without a timeout `vi.waitFor` fails after a second.
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_MS, ...options });
