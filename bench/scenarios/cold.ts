import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { ServerSpec } from '../options.js';
import { metered } from '../phases/metered.js';
import type { Scenario } from '../phases/contract.js';
import type { LoadKind } from '../protocol.js';

const SLICE_MS = 1_000;
const SIZE = 1_000;
const CONNECTIONS = 16;
/** In this order, each without warm-up: no such request was sent to the process before. */
const KINDS: readonly LoadKind[] = ['create', 'get', 'update', 'patch', 'regarding', 'first-page'];

interface Cold {
  readonly rate: number;
  readonly cpu: number;
}

/** The speed of a process before its code is compiled: the first second of each kind of request. */
export const cold: Scenario = {
  id: 'cold',
  title: `the first second of each kind of request in a fresh process, ${CONNECTIONS} connections, no warm-up`,
  async run(bench) {
    const floors: ReadonlyMap<LoadKind, Cold>[] = [];
    const others = new Map<string, ReadonlyMap<LoadKind, Cold>[]>();
    for (let round = 0; round < bench.options.runs; round++) {
      for (const spec of bench.options.servers) {
        if (spec.kind === 'other') continue;
        bench.log(`cold: ${spec.name}`);
        const results = await firstSeconds(bench, spec);
        if (spec.kind === 'floor') floors[round] = results;
        else others.set(spec.name, [...(others.get(spec.name) ?? []), results]);
      }
    }
    return [...others].flatMap(([name, rounds]) => KINDS.flatMap((kind) => figuresOf(name, kind, rounds, floors)));
  },
};

async function firstSeconds(bench: Bench, spec: ServerSpec): Promise<ReadonlyMap<LoadKind, Cold>> {
  const server = await bench.park.start(spec);
  const results = new Map<LoadKind, Cold>();
  try {
    for (const kind of KINDS) {
      const namespace = kind === 'create' ? 'cold-new' : 'cold-data';
      const job = { kind, namespace, size: SIZE, connections: CONNECTIONS, warmupMs: 0, durationMs: SLICE_MS };
      const { result, cpuUs } = await metered(
        bench,
        server,
        'cold',
        () => bench.client.load(server, job),
        (r) => r.allResponses,
      );
      results.set(kind, { rate: result.perSecond, cpu: cpuUs });
      if (kind === 'create') await bench.client.fill(server, { namespace: 'cold-data', size: SIZE });
    }
  } finally {
    await server.stop();
  }
  return results;
}

function figuresOf(
  name: string,
  kind: LoadKind,
  rounds: readonly ReadonlyMap<LoadKind, Cold>[],
  floors: readonly ReadonlyMap<LoadKind, Cold>[],
): Figure[] {
  const ratios = (key: keyof Cold): number[] =>
    rounds.map((own, round) => (own.get(kind)?.[key] ?? Number.NaN) / (floors[round]?.get(kind)?.[key] ?? Number.NaN));
  return [
    figure(`cold-${kind}.rate.${name}`, ratios('rate'), { unit: '×', better: 'higher' }),
    figure(`cold-${kind}.cpu.${name}`, ratios('cpu'), { unit: '×', better: 'lower' }),
  ];
}
