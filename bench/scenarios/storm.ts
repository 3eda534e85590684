import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import type { BenchServer } from '../server-process.js';
import { ask, eachStore, single } from './ours.js';
import { OPERATIONS, ratios } from './side-by-side.js';

const RATE = 500;
const WATCHERS = 20;
/** Events in the namespace of each operation that is compared. */
const FILLED = 10_000;

/**
 * An hour of 500 writes a second, shortened: the events live for a third of the time, so that for two thirds as many
 * expire as are written, and history is as much shorter. Then operations in this server are compared with those in a fresh one.
 */
export const storm: Scenario = {
  id: 'storm',
  title: `${RATE} creates a second, as many expiring, ${WATCHERS} watchers`,
  run: (bench) =>
    eachStore(bench, 'storm', async (spec) => {
      const durationMs = bench.options.times.stormMs;
      const lifetime = Math.round(durationMs / 3);
      const life = { ttlMs: lifetime, historyMs: Math.round(lifetime / 6) };
      const server = await bench.park.start(spec, life);
      const third = {
        namespace: 'storm',
        watchers: WATCHERS,
        stopped: 0,
        rate: RATE,
        durationMs: lifetime,
        padding: 0,
      };
      try {
        await bench.client.watch(server, third);
        await bench.client.watch(server, third);
        const middle = await server.usage();
        await ask(server, 'resetLoop');
        const { createP99Ms, delivered, p99Ms } = await bench.client.watch(server, third);
        const end = await server.usage();
        const fresh = await bench.park.start(spec, life);
        const after = await comparedWith(bench, server, fresh).finally(() => fresh.stop());
        return [
          single(`storm.loop-p99.${spec.name}`, end?.loopP99Ms ?? Number.NaN, 'ms'),
          single(`storm.loop-max.${spec.name}`, end?.loopMaxMs ?? Number.NaN, 'ms'),
          single(`storm.create-p99.${spec.name}`, createP99Ms, 'ms'),
          single(`storm.frame-p99.${spec.name}`, p99Ms, 'ms'),
          single(`storm.delivered.${spec.name}`, delivered, '', 'higher'),
          single(`storm.rss.${spec.name}`, end?.rssMb ?? Number.NaN, 'MB'),
          single(`storm.rss-growth.${spec.name}`, (end?.rssMb ?? Number.NaN) / (middle?.rssMb ?? Number.NaN), '×'),
          ...after,
        ];
      } finally {
        await server.stop();
      }
    }),
};

/** Each operation has a namespace of its own, so that its events do not expire before it is measured. */
async function comparedWith(bench: Bench, server: BenchServer, fresh: BenchServer): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const operation of OPERATIONS) {
    const namespace = `after-${operation.what}`;
    for (const each of [server, fresh]) await bench.client.fill(each, { namespace, size: FILLED, from: 0 });
    const filled = { namespace, events: FILLED };
    const { time, cpu } = await ratios(bench, 'storm', { server, ...filled }, { server: fresh, ...filled }, operation);
    const id = (what: string): string => `storm.after-${operation.what}${what}.${server.spec.name}`;
    figures.push(
      figure(id(''), time, { unit: '×', better: 'lower' }),
      figure(id('-cpu'), cpu, { unit: '×', better: 'lower' }),
    );
  }
  return figures;
}
