import type { Scenario } from '../phases/contract.js';
import { ask, eachStore, single } from './ours.js';

const RATE = 500;
const WATCHERS = 20;

/**
 * An hour of 500 writes a second, shortened: the events live for a third of the time, so that for two thirds as many
 * expire as are written, and history is as much shorter.
 */
export const storm: Scenario = {
  id: 'storm',
  title: `a storm: ${RATE} creates a second, ${WATCHERS} watchers, as many expiring`,
  run: (bench) =>
    eachStore(bench, 'storm', async (spec) => {
      const durationMs = bench.options.times.stormMs;
      const lifetime = Math.round(durationMs / 3);
      const server = await bench.park.start(spec, { ttlMs: lifetime, historyMs: Math.round(lifetime / 6) });
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
        return [
          single(`storm.loop-p99.${spec.name}`, end?.loopP99Ms ?? Number.NaN, 'ms'),
          single(`storm.loop-max.${spec.name}`, end?.loopMaxMs ?? Number.NaN, 'ms'),
          single(`storm.create-p99.${spec.name}`, createP99Ms, 'ms'),
          single(`storm.frame-p99.${spec.name}`, p99Ms, 'ms'),
          single(`storm.delivered.${spec.name}`, delivered, '', 'higher'),
          single(`storm.rss.${spec.name}`, end?.rssMb ?? Number.NaN, 'MB'),
          single(`storm.rss-growth.${spec.name}`, (end?.rssMb ?? Number.NaN) / (middle?.rssMb ?? Number.NaN), '×'),
        ];
      } finally {
        await server.stop();
      }
    }),
};
