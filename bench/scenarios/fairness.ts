import type { Figure } from '../figures.js';
import type { Scenario } from '../phases/contract.js';
import { FLOOD_TOKEN, type LoadJob, type LoadKind, type LoadResult } from '../protocol.js';
import { startWorker } from '../rpc.js';
import { eachStore, single, sleep } from './ours.js';

const CONNECTIONS = 500;
const ROUNDS = 3;
/** Time for connecting and draining on a busy machine. */
const SLACK_MS = 60_000;
/** Time until all connections of the flood are open and have a response. */
const SETTLE_MS = 2_000;

const FLOODS: readonly LoadKind[] = ['get', 'create', 'first-page'];
const POLITE: readonly LoadKind[] = ['get', 'create', 'livez', 'health'];

const NAMESPACE = 'fairness';
const SIZE = 1_000;

/** One caller sends without limit from 500 connections; another one sends one request at a time. */
export const fairness: Scenario = {
  id: 'fairness',
  title: `p99 of one caller alone, and while another one floods the server from ${CONNECTIONS} connections`,
  run: (bench) =>
    eachStore(bench, 'fairness', async (spec) => {
      const { sliceMs, warmupMs } = bench.options.times;
      const durationMs = sliceMs * 5;
      const server = await bench.park.start(spec);
      const flooder = await startWorker('client/main.ts');
      const polite = (kind: LoadKind): Promise<LoadResult> =>
        bench.client.load(server, { kind, namespace: NAMESPACE, size: SIZE, connections: 1, warmupMs, durationMs });
      const measure = async (): Promise<ReadonlyMap<LoadKind, LoadResult>> => {
        const results = new Map<LoadKind, LoadResult>();
        for (const kind of POLITE) results.set(kind, await polite(kind));
        return results;
      };
      /** The best of several rounds: other programs on the machine can only make it slower. */
      const best = async (): Promise<ReadonlyMap<LoadKind, LoadResult>> => {
        const rounds = [await measure()];
        while (rounds.length < ROUNDS) rounds.push(await measure());
        return new Map(
          POLITE.map((kind) => {
            const all = rounds.flatMap((results) => results.get(kind) ?? []);
            return [kind, all.reduce((low, next) => (next.p99Ms < low.p99Ms ? next : low))];
          }),
        );
      };
      try {
        await bench.client.fill(server, { namespace: NAMESPACE, size: SIZE });
        const quiet = await best();
        const figures: Figure[] = [];
        for (const kind of FLOODS) {
          const job: LoadJob = {
            target: { ...server.target, token: FLOOD_TOKEN },
            kind,
            namespace: NAMESPACE,
            size: SIZE,
            connections: CONNECTIONS,
            warmupMs: SETTLE_MS,
            durationMs: POLITE.length * ROUNDS * (durationMs + warmupMs) + SETTLE_MS,
          };
          const flooding = flooder.call<LoadResult>('load', job, SETTLE_MS + job.durationMs + SLACK_MS);
          flooding.catch(() => undefined);
          await sleep(SETTLE_MS);
          const busy = await best();
          const flood = await flooding;
          const id = (figure: string): string => `fairness.${kind}-flood-${figure}.${spec.name}`;
          const ms = (what: LoadKind, of: 'p99Ms' | 'maxMs', when = busy): number => when.get(what)?.[of] ?? Number.NaN;
          figures.push(
            single(id('get-ratio'), ms('get', 'p99Ms') / ms('get', 'p99Ms', quiet), '×'),
            single(id('create-ratio'), ms('create', 'p99Ms') / ms('create', 'p99Ms', quiet), '×'),
            single(id('get-p99'), ms('get', 'p99Ms'), 'ms'),
            single(id('create-p99'), ms('create', 'p99Ms'), 'ms'),
            single(id('livez-worst'), ms('livez', 'maxMs'), 'ms'),
            single(id('readyz-worst'), ms('health', 'maxMs'), 'ms'),
            single(id('rate'), flood.perSecond, '/s', 'higher'),
          );
        }
        return figures;
      } finally {
        await Promise.all([server.stop(), flooder.stop()]);
      }
    }),
};
