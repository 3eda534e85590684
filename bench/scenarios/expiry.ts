import type { Scenario } from '../phases/contract.js';
import type { Usage } from '../protocol.js';
import { ask, eachStore, single, sleep } from './ours.js';

/** Event-loop delay while the library's expiry loop removes many events that are due at once. */
export const expiry: Scenario = {
  id: 'expiry',
  title: 'many events due at once (100,000; quick: 10,000)',
  run: (bench) =>
    eachStore(bench, 'expiry', async (spec) => {
      const count = bench.options.quick ? 10_000 : 100_000;
      const server = await bench.park.start(spec);
      try {
        const start = Date.now();
        await ask(server, 'expireTogether', count, 120_000);
        // They are due `2 s + count / 10 ms` after the start. Then the loop needs a second to notice, and time to work.
        const due = start + 2_000 + count / 10;
        await sleep(Math.max(0, due - 500 - Date.now()));
        await ask(server, 'resetLoop');
        await sleep(Math.max(0, due - Date.now()) + 2_000 + count / 10);
        const { loopP99Ms, loopMaxMs } = await ask<Usage>(server, 'usage');
        return [
          single(`expiry.loop-p99.${spec.name}`, loopP99Ms, 'ms'),
          single(`expiry.loop-max.${spec.name}`, loopMaxMs, 'ms'),
        ];
      } finally {
        await server.stop();
      }
    }),
};
