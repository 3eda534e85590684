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
import { BASE, type Usage } from '../protocol.js';
import type { BenchServer } from '../server-process.js';
import { ourStores, type OurServer } from './ours.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const START_LIMIT_MS = 60_000;
/** What /proc counts CPU time in: 1/100 s on every Linux that Node runs on. */
const TICK_US = 10_000;

type Measure = (bench: Bench, server: BenchServer) => Promise<Readonly<Record<string, number>>>;

/** Several connections for each kind: one connection has one worker. */
const PHASES: Readonly<Record<string, Measure>> = {
  get: load('get', 64),
  list: load('list', 4),
  'create-64': load('create', 64),
  'watch-100': async (bench, server) => {
    const durationMs = bench.options.times.watchMs;
    const job = { namespace: 'bench-watch', watchers: 100, stopped: 0, rate: 500, durationMs, padding: 0 };
    const { result, cpuUs } = await metered(
      bench,
      server,
      'workers-watch-100',
      () => bench.client.watch(server, job),
      (r) => r.frames,
    );
    return { rate: result.framesPerSecond, cpu: cpuUs, p99: result.p99Ms };
  },
};

/** `kube-vitals serve --workers` over a store that processes share: two workers against one, in turns. Linux only. */
export const workers: Scenario = {
  id: 'workers',
  title: 'the standalone server with two workers against one, over PostgreSQL or etcd behind watch caches',
  async run(bench) {
    const figures: Figure[] = [];
    for (const spec of ourStores(bench).filter(({ store }) => store === 'postgres' || store === 'etcd')) {
      const rounds = { 1: [] as Sample[], 2: [] as Sample[] };
      for (let round = 0; round < bench.options.runs; round++) {
        // In turns, each of them first in every other round.
        for (const count of round % 2 === 0 ? ([1, 2] as const) : ([2, 1] as const)) {
          rounds[count].push(await measureAll(bench, spec, count, round === 0 && rounds[2].length === 0));
        }
      }
      for (const [id, sample] of Object.entries(rounds[1][0] ?? {})) {
        for (const key of Object.keys(sample)) {
          const ratios = rounds[2].map(
            (two, round) => (two[id]?.[key] ?? Number.NaN) / (rounds[1][round]?.[id]?.[key] ?? Number.NaN),
          );
          const better = key === 'rate' ? 'higher' : 'lower';
          figures.push(figure(`workers-${id}.${key}.${spec.name}`, ratios, { unit: '×', better, orientation: true }));
        }
      }
    }
    return figures;
  },
};

type Sample = Readonly<Record<string, Readonly<Record<string, number>>>>;

function load(kind: 'get' | 'list' | 'create', connections: number): Measure {
  return async (bench, server) => {
    const { warmupMs, sliceMs, slices } = bench.options.times;
    const data = kind === 'create' ? { namespace: 'bench-new', size: 1 } : DATA;
    const job = { ...data, kind, connections, warmupMs: warmupMs * 5, durationMs: Math.max(3_000, sliceMs * slices) };
    const { result, cpuUs } = await metered(
      bench,
      server,
      `workers-${kind}`,
      () => bench.client.load(server, job),
      (r) => r.allAnswers,
    );
    return { rate: result.perSecond, cpu: cpuUs, p99: result.p99Ms };
  };
}

async function measureAll(bench: Bench, spec: OurServer, count: 1 | 2, isEmpty: boolean): Promise<Sample> {
  const server = await startStandalone(spec, count);
  const sample: Record<string, Readonly<Record<string, number>>> = {};
  try {
    if (isEmpty) await bench.client.fill(server, DATA);
    for (const [id, measure] of Object.entries(PHASES)) {
      sample[id] = await measure(bench, server);
      const shown = Object.entries(sample[id]).map(([key, value]) => `${key} ${value.toFixed(1)}`);
      bench.log(`  workers-${id} ${spec.name} with ${count}: ${shown.join(', ')}`);
    }
  } finally {
    await server.stop();
  }
  return sample;
}

async function startStandalone({ store, location }: OurServer, count: number): Promise<BenchServer> {
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
  for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    banner += text;
    if (banner.includes('Ctrl-C ends it.')) break;
  }
  clearTimeout(late);
  const [, port] = / and http:\/\/127\.0\.0\.1:(\d+)$/m.exec(banner) ?? [];
  if (port === undefined) throw new Error(`kube-vitals serve --workers=${count} has not started`);
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const target = { host: '127.0.0.1', port: Number(port), base: BASE, token };
  return {
    spec: { name: `workers-${count}`, kind: 'other', target },
    target,
    worker: undefined,
    usage: () => usageOf(child.pid ?? Number.NaN),
    stop,
  };
}

/** CPU of a process and of those that it has started. */
async function usageOf(pid: number): Promise<Usage> {
  let ticks = 0;
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(entry) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
  }
  const unknown = Number.NaN;
  return { cpuUs: ticks * TICK_US, rssMb: unknown, heapMb: unknown, loopP99Ms: unknown, loopMaxMs: unknown };
}
