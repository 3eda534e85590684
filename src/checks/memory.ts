import { readFile } from 'node:fs/promises';
import { constrainedMemory, memoryUsage } from 'node:process';
import { getHeapStatistics } from 'node:v8';
import type { HealthCheck } from '../health/contract.js';
import { aNumber, aPositiveNumber } from '../options/rules.js';
import { LASTING, makeCheck, percent, type CommonOptions } from './make-check.js';

/** Options of {@link heapCheck}. */
export type HeapOptions = CommonOptions & {
  /** The largest share of V8's heap limit that passes, from 0 to 1. Default: 0.95. */
  readonly max?: number | undefined;
};

/**
 * Fails while V8's heap is nearly full: more than 95 % of its limit (`--max-old-space-size`) is used, garbage included.
 *
 * V8 collects garbage late, so the heap may be nearly full for a moment: use a `failureThreshold` and a `periodMs`, as
 * by default (3 runs, 10 s apart). It may count for `livez`: a restart helps against a leak, and ends the process in an
 * orderly way before it runs out of memory. Do not use it to find out how much memory a service needs.
 *
 * @throws TypeError that lists every fault of the options
 */
export function heapCheck(options: HeapOptions = {}): HealthCheck {
  return makeCheck(options, {
    where: 'heapCheck',
    name: 'heap',
    rules: { max: aNumber(0, 1) },
    timing: LASTING,
    check: () => {
      const { max = 0.95 } = options;
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return used <= limit * max || full('the heap', used, limit, max);
    },
  });
}

/** Options of {@link memoryCheck}. */
export type MemoryOptions = CommonOptions & {
  /** The largest share of the limit that passes, from 0 to 1. Default: 0.95. */
  readonly max?: number | undefined;
  /** The limit in bytes. Default: that of the container (cgroup v2 or v1); without one the check always passes. */
  readonly limitBytes?: number | undefined;
};

/**
 * Fails while the process's resident memory (RSS) is near the limit of its container, beyond which the kernel kills it
 * without notice. Unlike `heapCheck` it includes buffers, which are not on V8's heap. Outside a container with a limit
 * it passes.
 *
 * It may count for `livez`, as `heapCheck`. Do not use it if several processes share a container: each measures only
 * its own memory.
 *
 * @throws TypeError that lists every fault of the options
 */
export function memoryCheck(options: MemoryOptions = {}): HealthCheck {
  return makeCheck(options, {
    where: 'memoryCheck',
    // Not `memory`: that is the name of a memory store, and of its check.
    name: 'process-memory',
    rules: { max: aNumber(0, 1), limitBytes: aPositiveNumber },
    timing: LASTING,
    check: async () => {
      const { max = 0.95, limitBytes } = options;
      // Read at every run, because the limit of a running container can be changed.
      const bytes = limitBytes ?? (await readContainerLimit());
      const used = memoryUsage.rss();
      return bytes === undefined || used <= bytes * max || full('resident memory', used, bytes, max);
    },
  });
}

function full(what: string, used: number, limit: number, max: number): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason: `${what} is ${percent(used / limit)} of ${limit} bytes, more than ${percent(max)}` };
}

/** The files that contain the limit of the container: cgroup v2, then v1. */
const LIMIT_FILES = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'] as const;

/** cgroup v1 has a number near 2 ** 63 if there is no limit. */
const NO_LIMIT = 2 ** 60;

async function readContainerLimit(): Promise<number | undefined> {
  for (const file of LIMIT_FILES) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const bytes = Number(text.trim() || NaN);
    if (bytes > 0 && bytes < NO_LIMIT) return bytes;
  }
  // The limit of an enclosing cgroup.
  const bytes = constrainedMemory();
  return bytes > 0 && bytes < NO_LIMIT ? bytes : undefined;
}
