import { figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import { eachStore } from './ours.js';
import { ratios, type Operation } from './side-by-side.js';

const NAMESPACE = 'metrics';
const EVENTS = 10_000;
/** More and shorter ones than in other comparisons, because the difference is about a hundredth. */
const TURNS = 300;
const GET: Operation = { what: 'get', connections: 64, count: 4_000 };

/** The cost of `kube-vitals/metrics`, which counts every request. */
export const metrics: Scenario = {
  id: 'metrics',
  title: 'a get in a server whose requests are counted ÷ the same in one without metrics',
  run: (bench) =>
    eachStore(bench, 'metrics', async (spec) => {
      const servers = await Promise.all([{ ...spec, metrics: true }, spec].map((one) => bench.park.start(one)));
      try {
        const [counted, plain] = servers.map((server) => ({ server, namespace: NAMESPACE, events: EVENTS }));
        if (counted === undefined || plain === undefined) return [];
        for (const { server } of [counted, plain])
          await bench.client.fill(server, { namespace: NAMESPACE, size: EVENTS });
        const { time, cpu } = await ratios(bench, 'metrics', counted, plain, GET, TURNS);
        return [
          figure(`metrics.get.${spec.name}`, time, { unit: '×', better: 'lower' }),
          figure(`metrics.get-cpu.${spec.name}`, cpu, { unit: '×', better: 'lower' }),
        ];
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    }),
};
