import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import type { BenchServer } from '../server-process.js';
import { withDatabase } from './cache-start.js';
import { ask, eachStore, single, type OurServer } from './ours.js';
import { OPERATIONS, ratios, type Filled } from './side-by-side.js';

const NAMESPACE = 'size';
const REFERENCE = 10_000;
const TURNS = 5;

/**
 * The cost of an operation in a growing store, as a ratio to a store of 10,000 that is measured beside it at every
 * step.
 */
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
    const namespace = NAMESPACE;
    const figures = await allRatios(
      bench,
      { server: growing, namespace, events: step },
      { server: reference, namespace, events: REFERENCE },
    );
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

/** All operations, and a page of the newest events, which is read from the store itself. */
async function allRatios(
  bench: Bench,
  grown: Filled,
  reference: Filled,
): Promise<{ what: string; values: number[] }[]> {
  const results: { what: string; values: number[] }[] = [];
  for (const operation of OPERATIONS) {
    const { time, cpu } = await ratios(bench, 'size', grown, reference, operation);
    results.push({ what: operation.what, values: time }, { what: `${operation.what}-cpu`, values: cpu });
  }
  const newest = ({ server }: Filled): Promise<number> =>
    ask(server, 'newestFirst', { namespace: NAMESPACE, count: 100 }, 300_000);
  const values: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) values.push((await newest(grown)) / (await newest(reference)));
  return values.some(Number.isNaN) ? results : [...results, { what: 'newest', values }];
}
