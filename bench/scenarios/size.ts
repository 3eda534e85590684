import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import { metered } from '../phases/metered.js';
import type { LoadKind, LoadResult } from '../protocol.js';
import type { BenchServer } from '../server-process.js';
import { withDatabase } from './cache-start.js';
import { ask, eachStore, single, type OurServer } from './ours.js';

const NAMESPACE = 'size';
const REFERENCE = 10_000;
const TURNS = 5;

const OPERATIONS: readonly { readonly what: LoadKind; readonly connections: number; readonly count: number }[] = [
  { what: 'create', connections: 16, count: 1_500 },
  { what: 'get', connections: 16, count: 6_000 },
  { what: 'first-page', connections: 1, count: 150 },
  { what: 'deep-page', connections: 1, count: 150 },
  { what: 'regarding', connections: 16, count: 2_000 },
];

/** What an operation costs in a store that grows, against a store of 10,000 that stands beside it at every step. */
export const size: Scenario = {
  id: 'size',
  title: 'cost by size: time an operation takes ÷ the same at 10,000 events',
  run: (bench) =>
    eachStore(bench, 'size', (spec) =>
      withDatabase(bench, spec, async (own, startAgain) => {
        const figures: Figure[] = [];
        const growing = await bench.park.start(own);
        try {
          let before = 0;
          for (const step of bench.options.times.sizes) {
            bench.log(`size ${step}: ${spec.name}`);
            figures.push(...(await runStep(bench, spec, growing, before, step)));
            before = step;
          }
          await growing.stop();
          figures.push(...(await startAgain({ namespace: NAMESPACE, size: before })));
        } catch (error) {
          bench.warn(`size, ${spec.name}: ${(error as Error).message}`);
        } finally {
          await growing.stop();
        }
        return figures;
      }),
    ),
};

async function runStep(
  bench: Bench,
  spec: OurServer,
  growing: BenchServer,
  from: number,
  step: number,
): Promise<Figure[]> {
  const { client } = bench;
  const filled = await client.fill(growing, { namespace: NAMESPACE, size: step, from });
  const reference = await bench.park.start(spec);
  try {
    await client.fill(reference, { namespace: NAMESPACE, size: REFERENCE });
    const figures = await ratios(bench, { server: growing, events: step }, { server: reference, events: REFERENCE });
    const id = (what: string): string => `size-${step}.${what}.${spec.name}`;
    const { rssMb = Number.NaN } = (await growing.usage()) ?? {};
    await ask(growing, 'resetLoop');
    const writing = {
      namespace: NAMESPACE,
      watchers: 1,
      stopped: 0,
      rate: 500,
      durationMs: bench.options.times.watchMs,
      padding: 0,
    };
    const { p99Ms } = await client.watch(growing, writing);
    const usage = await growing.usage();
    await ask(growing, 'stopLoop');
    return [
      ...figures.map(({ what, values }) => figure(id(what), values, { unit: '×', better: 'lower' })),
      single(id('rss'), rssMb, 'MB'),
      single(id('fill'), filled.perSecond, '/s', 'higher'),
      single(id('loop-p99'), usage?.loopP99Ms ?? Number.NaN, 'ms'),
      single(id('loop-max'), usage?.loopMaxMs ?? Number.NaN, 'ms'),
      single(id('frame-p99'), p99Ms, 'ms'),
    ];
  } finally {
    await reference.stop();
  }
}

interface Sized {
  readonly server: BenchServer;
  readonly events: number;
}

/** Both take turns, so that what the machine does to one it does to the other. */
async function ratios(bench: Bench, grown: Sized, reference: Sized): Promise<{ what: string; values: number[] }[]> {
  const results: { what: string; values: number[] }[] = [];
  for (const operation of OPERATIONS) {
    const time: number[] = [];
    const cpu: number[] = [];
    // A young process is slower; both get the chance to warm up.
    for (const sized of [grown, reference]) await cost(bench, sized, operation);
    for (let turn = 0; turn < TURNS; turn++) {
      const large = await cost(bench, grown, operation);
      const small = await cost(bench, reference, operation);
      time.push(large.timeUs / small.timeUs);
      cpu.push(large.cpuUs / small.cpuUs);
    }
    results.push({ what: operation.what, values: time }, { what: `${operation.what}-cpu`, values: cpu });
  }
  const newest = ({ server }: Sized): Promise<number> =>
    ask(server, 'newestFirst', { namespace: NAMESPACE, count: 100 }, 300_000);
  const values: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) values.push((await newest(grown)) / (await newest(reference)));
  return [...results, { what: 'newest', values }];
}

type Operation = (typeof OPERATIONS)[number];

async function cost(
  bench: Bench,
  { server, events }: Sized,
  { what, connections, count }: Operation,
): Promise<{ timeUs: number; cpuUs: number }> {
  const job = { kind: what, namespace: NAMESPACE, size: events, connections, warmupMs: 0, durationMs: 60_000, count };
  const load = (): Promise<LoadResult> => bench.client.load(server, job);
  const { result, cpuUs } = await metered(bench, server, 'size', load, ({ allAnswers }) => allAnswers);
  return { timeUs: 1e6 / result.perSecond, cpuUs };
}
