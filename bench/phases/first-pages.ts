import type { Bench } from '../context.js';
import type { LoadResult } from '../protocol.js';
import type { BenchServer } from '../server-process.js';
import { BYTES, CPU, type Phase } from './contract.js';
import { metered } from './metered.js';

const CONNECTIONS = 4;
const SIZE = 5_000;
/** A walk takes some hundred milliseconds at most. */
const LIMIT_MS = 60_000;

/** Walks before the first one that is measured; code is compiled during them. */
const WARMUPS = 3;

/** The number of walks so far. */
let walked = 0;

/**
 * Pages that are read for the first time. Every slice fills namespaces of its own, one for each connection, and walks
 * over them once. A page of one event is read before, because the floor sorts a namespace at the first list after a
 * write.
 */
export const firstPages: Phase = {
  id: 'first-pages',
  title: `pages of 500 that are read for the first time, ${CONNECTIONS} connections`,
  metrics: [BYTES, CPU],
  slices: 4,
  async measure(bench, server, first) {
    if (first) for (let turn = 0; turn < WARMUPS; turn++) await walk(bench, server);
    const { result, cpuUs } = await walk(bench, server);
    return { mb: result.mbPerSecond, cpu: cpuUs };
  },
};

async function walk(
  bench: Bench,
  server: BenchServer,
): Promise<{ readonly result: LoadResult; readonly cpuUs: number }> {
  const namespace = `bench-first-${walked++}`;
  const job = { size: SIZE, warmupMs: 0, durationMs: LIMIT_MS };
  for (let number = 0; number < CONNECTIONS; number++) {
    const own = `${namespace}-${number}`;
    await bench.client.fill(server, { namespace: own, size: SIZE });
    await bench.client.load(server, { ...job, kind: 'peek', namespace: own, connections: 1, count: 1 });
  }
  const load = (): Promise<LoadResult> =>
    bench.client.load(server, { ...job, kind: 'walk-once', namespace, connections: CONNECTIONS });
  return metered(bench, server, firstPages.id, load, ({ allResponses }) => allResponses);
}
