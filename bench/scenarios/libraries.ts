import { figure, type Figure } from '../figures.js';
import {
  LIBRARIES,
  type HeldResult,
  type LibraryName,
  type LibraryResult,
  type LibraryWork,
} from '../libraries/contract.js';
import type { Scenario } from '../phases/contract.js';
import { startWorker, type Worker } from '../rpc.js';
import { single } from './ours.js';

/** The tasks, with the number of events in a slice. The bare loop creates what is read before. */
const WORKS: readonly { readonly work: LibraryWork; readonly id: string; readonly count: number }[] = [
  { work: 'create', id: 'client-create', count: 1_000 },
  { work: 'get', id: 'client-get', count: 1_000 },
  { work: 'watch', id: 'client-watch', count: 5_000 },
  { work: 'follow', id: 'client-follow', count: 5_000 },
  { work: 'record', id: 'client-record', count: 1_000 },
  { work: 'recordEqual', id: 'client-record-equal', count: 1_000 },
];
const SLICE_LIMIT_MS = 120_000;
/** The most events that a recorder holds by default. */
const HELD = 20_000;

/** Compares clients of events by rate and by the CPU time of their processes, against the same server of ours. */
export const libraries: Scenario = {
  id: 'client',
  title:
    'clients of events, four requests at a time: recorder, single calls, watch and follower ÷ a bare loop over undici',
  async run(bench) {
    const spec = { name: 'memory', kind: 'vitals', store: 'memory', mount: 'node', location: '' } as const;
    const life = { ttlMs: 86_400_000, historyMs: 600_000, apiDomain: 'k8s.io' };
    const server = await bench.park.start(spec, life);
    const workers = new Map<LibraryName, Worker>();
    const samples = new Map<string, number[]>();
    const measured = (work: LibraryWork, library: LibraryName, count: number, tag: string): Promise<LibraryResult> => {
      const job = { target: server.target, work, count, tag };
      return (workers.get(library) as Worker).call<LibraryResult>('measure', job, SLICE_LIMIT_MS);
    };
    try {
      for (const name of LIBRARIES) workers.set(name, await startWorker('libraries/main.ts', [name]));
      await measured('create', 'undici', 5_000, 'stored');
      const slices = bench.options.quick ? 3 : 4 * bench.options.runs;
      // In the first slice code is compiled: it does not count.
      for (let slice = 0; slice <= slices; slice++) {
        for (const { work, id, count } of WORKS) {
          const results = new Map<LibraryName, LibraryResult>();
          const turn = slice % LIBRARIES.length;
          for (const name of [...LIBRARIES.slice(turn), ...LIBRARIES.slice(0, turn)]) {
            const tag = work === 'get' ? 'stored' : `${id}-${slice}-${name}`;
            results.set(name, await measured(work, name, count, tag));
          }
          if (slice === 0) continue;
          const bare = results.get('undici') as LibraryResult;
          for (const [name, { perSecond, cpuUs }] of results) {
            if (name === 'undici') continue;
            add(samples, `${id}.rate.${name}`, perSecond / bare.perSecond);
            add(samples, `${id}.cpu.${name}`, cpuUs / bare.cpuUs);
          }
        }
        bench.log(`client: slice ${slice} of ${slices}`);
      }
      const figures: Figure[] = [...samples].map(([id, values]) =>
        figure(id, values, { unit: '×', better: id.includes('.rate.') ? 'higher' : 'lower' }),
      );
      return [...figures, ...(await held())];
    } finally {
      await Promise.all([server.stop(), ...[...workers.values()].map((worker) => worker.stop())]);
    }
  },
};

function add(samples: Map<string, number[]>, id: string, value: number): void {
  samples.set(id, [...(samples.get(id) ?? []), value]);
}

/** The memory of a recorder whose queue is full because its server is unavailable. */
async function held(): Promise<readonly Figure[]> {
  const worker = await startWorker('libraries/main.ts', ['kube-vitals'], ['--expose-gc']);
  try {
    const { heapMb, rssMb, pending } = await worker.call<HeldResult>('held', HELD, SLICE_LIMIT_MS);
    if (pending !== HELD) throw new Error(`the recorder holds ${pending} of ${HELD} events`);
    return [single('client-held.heap.kube-vitals', heapMb, 'MB'), single('client-held.rss.kube-vitals', rssMb, 'MB')];
  } finally {
    await worker.stop();
  }
}
