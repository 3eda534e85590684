import { statfs } from 'node:fs/promises';
import type { HealthCheck } from '../health/contract.js';
import { aNonEmptyString, aNumber, required } from '../options/rules.js';
import { makeCheck, percent, type CommonOptions } from './make-check.js';

/** Options of {@link diskCheck}. */
export type DiskOptions = CommonOptions & {
  /** A file or folder on the file system. */
  readonly path: string;
  /** The smallest share that must be free, from 0 to 1. Default: 0.05. */
  readonly minFree?: number | undefined;
  /** The smallest number of bytes that must be free. Default: 0. */
  readonly minFreeBytes?: number | undefined;
};

/**
 * Fails while a file system is nearly full, for unprivileged users (`df`'s "Available").
 *
 * Do not put it into `livez`: a restart frees nothing. Do not use it for a volume that is full by design, such as a
 * cache that evicts by itself. A network file system that hangs makes the check time out, and blocks a thread of
 * libuv's pool.
 *
 * @throws TypeError that lists every fault of the options
 */
export function diskCheck(options: DiskOptions): HealthCheck {
  return makeCheck(options, {
    where: 'diskCheck',
    name: 'disk',
    dependency: true,
    rules: { path: required(aNonEmptyString), minFree: aNumber(0, 1), minFreeBytes: aNumber(0) },
    timing: { cacheMs: 10_000 },
    check: async () => {
      const { path, minFree = 0.05, minFreeBytes = 0 } = options;
      const { bavail, blocks, bsize } = await statfs(path);
      const free = bavail * bsize;
      if (free >= minFreeBytes && bavail >= blocks * minFree) return true;
      return { ok: false, reason: `${free} bytes (${percent(bavail / blocks)}) are free at ${path}` };
    },
  });
}
