import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { type: 'minor' }) => void;

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

/** Collects all garbage at once, synchronously. No command-line flag is needed. */
export function collectGarbage(): void {
  collector()();
}

/** Collects the garbage of the young generation. What survives two of these collections is in the old generation. */
export function collectYoungGarbage(): void {
  collector()({ type: 'minor' });
}

/** Long property names and what finalizers hold survive a first collection. */
async function collectAll(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * How many bytes of the heap `work` leaves in use. On a busy machine some 5 MB of the test runner's own are among them:
 * let `work` keep at least 18 MB where the fault is there, and expect less than half of that.
 */
export async function heapGrowth(work: () => unknown): Promise<number> {
  await collectAll();
  const before = process.memoryUsage().heapUsed;
  await work();
  await collectAll();
  return process.memoryUsage().heapUsed - before;
}
