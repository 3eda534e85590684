import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../context.js';
import type { Figure } from '../figures.js';
import type { BenchServer } from '../server-process.js';
import { ask, single, sleep, type OurServer } from './ours.js';

/** How often the state of the cache is read. */
const LOOK_MS = 50;
const LIMIT_MS = 600_000;
/** Gets are sent all the time, in jobs of this length; the worst p99 shows for how long the server did not respond. */
const GETS_MS = 1_000;

interface DataSet {
  readonly namespace: string;
  readonly size: number;
}

/** Starts a server again over the contents of its database; no figures for a server without a cache. */
type StartAgain = (data: DataSet) => Promise<readonly Figure[]>;

/** Runs `run` with a server, and lets it start the server again where the database outlives the process. */
export async function withDatabase<T>(
  bench: Bench,
  spec: OurServer,
  run: (own: OurServer, startAgain: StartAgain) => Promise<T>,
): Promise<T> {
  if (spec.cached !== true || spec.store !== 'sqlite') return run(spec, async () => []);
  const folder = await mkdtemp(join(tmpdir(), 'kube-vitals-bench-'));
  const own = { ...spec, location: join(folder, 'events.db') };
  try {
    return await run(own, (data) => startOver(bench, own, data));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures how long the cache takes to be filled, and how the process serves meanwhile. */
async function startOver(bench: Bench, spec: OurServer, data: DataSet): Promise<readonly Figure[]> {
  bench.log(`start with ${data.size} events: ${spec.name}`);
  const server = await bench.park.start(spec);
  try {
    await ask(server, 'resetLoop');
    const begin = performance.now();
    let isOver = false;
    const slowest = slowestGet(bench, server, data, () => isOver);
    const rssMb = await untilReady(server, begin).finally(() => (isOver = true));
    const seconds = (performance.now() - begin) / 1000;
    const usage = await server.usage();
    const getMs = await slowest;
    const id = (what: string): string => `size-${data.size}.start-${what}.${spec.name}`;
    return [
      single(id('rate'), data.size / seconds, '/s', 'higher'),
      single(id('loop-p99'), usage?.loopP99Ms ?? Number.NaN, 'ms'),
      single(id('loop-max'), usage?.loopMaxMs ?? Number.NaN, 'ms'),
      single(id('get-p99'), getMs, 'ms'),
      single(id('rss'), rssMb, 'MB'),
    ];
  } finally {
    await server.stop();
  }
}

/** Returns the most memory the process had. */
async function untilReady(server: BenchServer, begin: number): Promise<number> {
  let rssMb = 0;
  for (;;) {
    const status = await ask<{ readonly state: string }>(server, 'cacheStatus');
    rssMb = Math.max(rssMb, (await server.usage())?.rssMb ?? 0);
    if (status.state === 'ready') return rssMb;
    if (performance.now() - begin > LIMIT_MS) throw new Error(`the cache is ${status.state} after ${LIMIT_MS} ms`);
    await sleep(LOOK_MS);
  }
}

/** The worst p99 of gets, second by second, until it is over. */
async function slowestGet(bench: Bench, server: BenchServer, data: DataSet, isOver: () => boolean): Promise<number> {
  let slowest = 0;
  while (!isOver()) {
    const job = { ...data, kind: 'get', connections: 1, warmupMs: 0, durationMs: GETS_MS } as const;
    const { p99Ms } = await bench.client.load(server, job);
    slowest = Math.max(slowest, p99Ms);
  }
  return slowest;
}
