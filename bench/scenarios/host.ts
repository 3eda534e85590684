import type { Scenario } from '../phases/contract.js';
import { ask, eachStore, single, sleep } from './ours.js';

const ROUNDS = 3;

/** The event-loop delay of a service that does nothing else, without and with load on its events. */
export const host: Scenario = {
  id: 'host',
  title: 'p99 of the event-loop delay of a service, idle and with 500 creates a second and 100 watchers',
  run: (bench) =>
    eachStore(bench, 'host', async (spec) => {
      const durationMs = bench.options.times.watchMs;
      const server = await bench.park.start(spec);
      const job = { namespace: 'host', watchers: 100, stopped: 0, rate: 500, durationMs, padding: 0 };
      const loopWhile = async (work: () => Promise<unknown>): Promise<number> => {
        await ask(server, 'resetLoop');
        await work();
        return (await server.usage())?.loopP99Ms ?? Number.NaN;
      };
      const best = { idle: Infinity, added: Infinity, busy: Infinity };
      try {
        await bench.client.watch(server, { ...job, durationMs: 1_000 });
        for (let round = 0; round < ROUNDS; round++) {
          const idle = await loopWhile(() => sleep(durationMs));
          const busy = await loopWhile(() => bench.client.watch(server, job));
          // The quietest round: other programs on the machine can only make it slower.
          if (busy - idle < best.added) Object.assign(best, { idle, busy, added: busy - idle });
        }
        return [
          single(`host.idle-p99.${spec.name}`, best.idle, 'ms'),
          single(`host.busy-p99.${spec.name}`, best.busy, 'ms'),
          single(`host.added-p99.${spec.name}`, best.added, 'ms'),
        ];
      } finally {
        await server.stop();
      }
    }),
};
