import { figure, median, type Figure } from '../figures.js';
import type { HostileRequest } from '../hostile/contract.js';
import { corpus } from '../hostile/corpus.js';
import type { Scenario } from '../phases/contract.js';
import { startWorker } from '../rpc.js';
import type { HostileResult } from '../servers/hostile.js';

/** How many requests have a figure of their own. */
const WORST = 10;
const RUNS = 3;
/** A request that takes longer fails by that alone. */
const LIMIT_MS = 60_000;

interface Measured {
  readonly request: HostileRequest;
  readonly samples: readonly number[];
  readonly longest: number;
}

/**
 * How long the worst requests hold the event loop: those of an authenticated caller, and what happens before anybody is
 * authenticated. A figure for the worst of each, and for the ten worst of all.
 */
export const hostile: Scenario = {
  id: 'hostile',
  title: 'the worst requests: the longest stretch of the event loop, before and after authentication',
  async run({ options, log, warn }) {
    const worker = await startWorker('servers/hostile.ts');
    const measured: Measured[] = [];
    try {
      // Code that runs for the first time is compiled, modules are loaded: that is no attacker's doing.
      for (const { id } of corpus.filter((_, index) => index % 10 === 0)) await worker.call('measure', id, LIMIT_MS);
      for (const request of corpus) {
        const samples: number[] = [];
        for (let run = 0; run < (options.quick ? 1 : RUNS); run++) {
          const result = await worker.call<HostileResult>('measure', request.id, LIMIT_MS);
          if (result.status >= 500) warn(`hostile, ${request.id}: answered with ${result.status}`);
          samples.push(result.longestMs);
        }
        measured.push({ request, samples, longest: median(samples) });
      }
    } finally {
      await worker.stop();
    }
    measured.sort((one, other) => other.longest - one.longest);
    const worst = measured.slice(0, WORST);
    for (const { request, longest } of worst) log(`hostile: ${longest.toFixed(1)} ms ${request.title}`);
    return [
      ...worstOf(
        'authenticated',
        measured.filter(({ request }) => request.authenticated),
      ),
      ...worstOf(
        'unauthenticated',
        measured.filter(({ request }) => !request.authenticated),
      ),
      ...worst.map(({ request, samples }) => inMs(`hostile.${request.id}.memory`, samples, request.title)),
    ];
  },
};

function worstOf(who: string, [worst]: readonly Measured[]): Figure[] {
  return worst ? [inMs(`hostile.${who}.memory`, worst.samples, `${worst.request.id}: ${worst.request.title}`)] : [];
}

const inMs = (id: string, samples: readonly number[], note: string): Figure =>
  figure(id, samples, { unit: 'ms', better: 'lower', orientation: true, note });
