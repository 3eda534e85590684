import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import { DATA, type Scenario } from '../phases/contract.js';
import { metered } from '../phases/metered.js';
import { BASE, type LoadResult, type WatchResult } from '../protocol.js';
import type { BenchServer } from '../server-process.js';
import { ourStores, type OurServer } from './ours.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_LIMIT_MS = 60_000;
/** The unit of CPU time in /proc: 1/100 s on every Linux that Node runs on. */
const TICK_US = 10_000;

type Sample = Readonly<Record<string, number>>;

/** Measures a server; `first` is true when it has served nothing like it before. */
type Measure = (bench: Bench, server: StandaloneServer, first: boolean) => Promise<Sample>;

const SLICES = 8;
const SLICE_MS = 1_000;
/** Responses before the first slice, so that the code of both workers is compiled, and the time limit for them. */
const WARM = { get: 40_000, list: 200, create: 6_000 } as const;
const WARM_LIMIT_MS = 30_000;

/** Several connections for each kind: one connection has one worker. */
const PHASES: Readonly<Record<string, { readonly slices: number; readonly measure: Measure }>> = {
  get: { slices: SLICES, measure: load('get', 64) },
  list: { slices: SLICES, measure: load('list', 4) },
  'create-64': { slices: SLICES, measure: load('create', 64) },
  'watch-100': {
    slices: 1,
    async measure(bench, server) {
      const durationMs = bench.options.times.watchMs;
      const job = { namespace: 'bench-watch', watchers: 100, stopped: 0, rate: 500, durationMs, padding: 0 };
      const run = (): Promise<WatchResult> => bench.client.watch(server, job);
      const [result, more] = await measured(bench, server, 'watch-100', run, ({ frames }) => frames);
      return { rate: result.framesPerSecond, p99: result.p99Ms, ...more };
    },
  },
};

/** `kube-vitals serve --workers` over a store that processes share: two workers against one, in turns. Linux only. */
export const workers: Scenario = {
  id: 'workers',
  title: 'the standalone server with two workers against one, over PostgreSQL or etcd behind watch caches',
  async run(bench) {
    const figures: Figure[] = [];
    for (const spec of ourStores(bench).filter(({ store }) => store === 'postgres' || store === 'etcd')) {
      const ratios = new Map<string, number[]>();
      for (let round = 0; round < bench.options.runs; round++) {
        const servers = [await startStandalone(spec, 1), await startStandalone(spec, 2)] as const;
        try {
          if (round === 0) await bench.client.fill(servers[0], DATA);
          await compare(bench, servers, ratios);
        } finally {
          await Promise.all(servers.map((server) => server.stop()));
        }
      }
      for (const [id, samples] of ratios) {
        const better = id.endsWith('rate') ? 'higher' : 'lower';
        figures.push(figure(`workers-${id}.${spec.name}`, samples, { unit: '×', better, orientation: true }));
      }
    }
    return figures;
  },
};

/** Adds the ratios of what two workers do to what one does, slice by slice. */
async function compare(
  bench: Bench,
  servers: readonly [StandaloneServer, StandaloneServer],
  ratios: Map<string, number[]>,
): Promise<void> {
  for (const [id, { slices, measure }] of Object.entries(PHASES)) {
    for (let slice = 0; slice < slices; slice++) {
      const samples: [Sample, Sample] = [{}, {}];
      // Each of them is first in every other slice.
      for (const index of slice % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const sample = await measure(bench, servers[index], slice === 0);
        samples[index] = sample;
        const shown = Object.entries(sample).map(([key, value]) => `${key} ${value.toFixed(1)}`);
        bench.log(`  workers-${id} with ${index + 1}: ${shown.join(', ')}`);
      }
      for (const [key, value] of Object.entries(samples[1])) {
        const list = ratios.get(`${id}.${key}`) ?? [];
        ratios.set(`${id}.${key}`, [...list, value / (samples[0][key] ?? Number.NaN)]);
      }
    }
  }
}

function load(kind: 'get' | 'list' | 'create', connections: number): Measure {
  const data = kind === 'create' ? { namespace: 'bench-new', size: 1 } : DATA;
  return async (bench, server, first) => {
    const { warmupMs } = bench.options.times;
    const job = { ...data, kind, connections, warmupMs, durationMs: SLICE_MS };
    if (first) await bench.client.load(server, { ...job, warmupMs: 0, count: WARM[kind], durationMs: WARM_LIMIT_MS });
    const run = (): Promise<LoadResult> => bench.client.load(server, job);
    const [result, more] = await measured(bench, server, kind, run, ({ allResponses }) => allResponses);
    const { cpu = Number.NaN } = more;
    // For reads from a cache the database does less than its processes that end meanwhile, whose time is lost, have done.
    return { rate: result.perSecond, p99: result.p99Ms, ...(kind === 'create' ? more : { cpu }) };
  };
}

/** The job's result, and CPU for an operation in microseconds: of the server's processes together, and of the database. */
async function measured<T extends { readonly clientCpu: number }>(
  bench: Bench,
  server: StandaloneServer,
  id: string,
  job: () => Promise<T>,
  operations: (result: T) => number,
): Promise<readonly [T, Sample]> {
  const before = await server.databaseUs();
  const { result, cpuUs } = await metered(bench, server, `workers-${id}`, job, operations);
  const databaseUs = (await server.databaseUs()) - before;
  return [result, { cpu: cpuUs, 'database-cpu': databaseUs / Math.max(1, operations(result)) }];
}

/** The standalone server, with its workers. */
interface StandaloneServer extends BenchServer {
  /** CPU of all databases of its kind on this machine so far, microseconds. */
  databaseUs(): Promise<number>;
}

async function startStandalone({ store, location }: OurServer, count: number): Promise<StandaloneServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kube-vitals-bench-workers-'));
  const url = store === 'etcd' ? location.replace(/^http/, 'etcd').replaceAll(';http://', ',') : location;
  const flags = ['--limits=off', '--metrics=false', '--event-ttl=24h', '--secure-port=0', '--insecure-port=0'];
  const child = spawn(
    process.execPath,
    ['dist/cli.js', 'serve', `--workers=${count}`, `--store=${url}`, `--data-dir=${dataDir}`, ...flags],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  const late = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  let banner = '';
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      banner += text;
      if (banner.includes('Ctrl-C ends it.')) resolve();
    });
    child.stdout.once('close', resolve);
  });
  clearTimeout(late);
  const [, port] = / and http:\/\/127\.0\.0\.1:(\d+)$/m.exec(banner) ?? [];
  if (port === undefined) throw new Error(`kube-vitals serve --workers=${count} has not started`);
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const target = { host: '127.0.0.1', port: Number(port), base: BASE, token };
  return {
    spec: { name: `workers-${count}`, kind: 'other', target },
    target,
    worker: undefined,
    async usage() {
      const cpuUs = await cpuOf(({ pid, parent }) => pid === child.pid || parent === child.pid);
      return { cpuUs, rssMb: Number.NaN, heapMb: Number.NaN, loopP99Ms: Number.NaN, loopMaxMs: Number.NaN };
    },
    databaseUs: () => cpuOf(({ name }) => name === store),
    stop,
  };
}

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** CPU time of all processes that are wanted, microseconds. */
async function cpuOf(wanted: (entry: ProcessEntry) => boolean): Promise<number> {
  let ticks = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const [open, close] = [stat.indexOf('('), stat.lastIndexOf(')')];
    const fields = stat.slice(close + 2).split(' ');
    const name = stat.slice(open + 1, close);
    if (stat === '' || !wanted({ pid: Number(entry), parent: Number(fields[1]), name })) continue;
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}
