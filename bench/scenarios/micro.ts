import { figure, type Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import { startWorker } from '../rpc.js';

/** The steps of a write and of a frame, each as a ratio to JSON.parse or JSON.stringify of the same event. */
export const micro: Scenario = {
  id: 'micro',
  title: 'single steps ÷ JSON.parse or JSON.stringify of the same event',
  async run(bench) {
    const samples = new Map<string, number[]>();
    for (let run = 0; run < bench.options.runs; run++) {
      const worker = await startWorker('micro/main.ts');
      try {
        const ratios = await worker.call<Record<string, number>>('measure', bench.options.quick ? 200 : 1_000, 120_000);
        for (const [step, ratio] of Object.entries(ratios)) samples.set(step, [...(samples.get(step) ?? []), ratio]);
      } finally {
        await worker.stop();
      }
    }
    return [...samples].map(([step, values]): Figure =>
      figure(`micro.${step}.steps`, values, { unit: '×', better: 'lower' }),
    );
  },
};
