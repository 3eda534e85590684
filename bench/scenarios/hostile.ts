import { figure, median, type Figure } from '../figures.js';
import type { HostileRequest } from '../hostile/contract.js';
import { corpus } from '../hostile/corpus.js';
import { BODY_SIZES } from '../hostile/making.js';
import type { Scenario } from '../phases/contract.js';
import { startWorker, type Worker } from '../rpc.js';
import type { HostileCall, HostileResult } from '../servers/hostile.js';

/** How many requests have a figure of their own, of each kind. */
const WORST = 10;
const RUNS = 3;
/** A request that takes longer fails. */
const LIMIT_MS = 60_000;

interface Measured {
  readonly request: HostileRequest;
  readonly bodyBytes: number;
  readonly samples: readonly number[];
  readonly longest: number;
}

/**
 * How long the worst requests block the event loop, after and before authentication. A figure for the worst of each
 * kind, with the default limit on the bytes of bodies and with the highest one, and for the ten worst of each.
 */
export const hostile: Scenario = {
  id: 'hostile',
  title: 'longest time that the worst requests block the event loop, before and after authentication',
  changing: true,
  async run({ options, log, warn }) {
    const worker = await startWorker('servers/hostile.ts');
    const measured: Measured[] = [];
    const [defaultBytes = 0] = BODY_SIZES;
    try {
      // The first requests load modules and compile code, which is not counted.
      for (const { id } of corpus.filter((_, index) => index % 10 === 0))
        await measure(worker, { id, bodyBytes: defaultBytes });
      for (const request of corpus) {
        for (const bodyBytes of request.sized ? BODY_SIZES : [defaultBytes]) {
          const samples: number[] = [];
          for (let run = 0; run < (options.quick ? 1 : RUNS); run++) {
            const result = await measure(worker, { id: request.id, bodyBytes });
            if (result.status >= 500) warn(`hostile, ${request.id}: answered with ${result.status}`);
            samples.push(result.longestMs);
          }
          measured.push({ request, bodyBytes, samples, longest: median(samples) });
        }
      }
    } finally {
      await worker.stop();
    }
    const authenticated = measured.filter(({ request }) => request.authenticated);
    const small = authenticated.filter(({ bodyBytes }) => bodyBytes === defaultBytes);
    const large = authenticated.filter(({ bodyBytes }) => bodyBytes !== defaultBytes);
    const unauthenticated = measured.filter(({ request }) => !request.authenticated);
    const worst = [...worstOf(authenticated), ...worstOf(unauthenticated)];
    for (const { request, bodyBytes, longest } of worst) {
      log(`hostile: ${longest.toFixed(1)} ms ${titleOf(request, bodyBytes)}`);
    }
    return [
      ...figureOf('authenticated', small),
      ...figureOf('authenticated-3mib', large),
      ...figureOf('unauthenticated', unauthenticated),
      ...worst.map(({ request, bodyBytes, samples }) =>
        inMs(`hostile.${idOf(request, bodyBytes)}.memory`, samples, titleOf(request, bodyBytes)),
      ),
    ];
  },
};

const measure = (worker: Worker, call: HostileCall): Promise<HostileResult> =>
  worker.call<HostileResult>('measure', call, LIMIT_MS);

const isLarge = (bodyBytes: number): boolean => bodyBytes !== BODY_SIZES[0];

const idOf = ({ id }: HostileRequest, bodyBytes: number): string => (isLarge(bodyBytes) ? `${id}-3mib` : id);

const titleOf = ({ title }: HostileRequest, bodyBytes: number): string =>
  isLarge(bodyBytes) ? `${title}, 3 MiB` : title;

function worstOf(measured: readonly Measured[], most: number = WORST): readonly Measured[] {
  return [...measured].sort((one, other) => other.longest - one.longest).slice(0, most);
}

function figureOf(who: string, measured: readonly Measured[]): Figure[] {
  return worstOf(measured, 1).map(({ request, bodyBytes, samples }) =>
    inMs(`hostile.${who}.memory`, samples, `${request.id}: ${titleOf(request, bodyBytes)}`),
  );
}

const inMs = (id: string, samples: readonly number[], note: string): Figure =>
  figure(id, samples, { unit: 'ms', better: 'lower', orientation: true, note });
