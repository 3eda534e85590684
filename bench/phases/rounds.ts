import { join } from 'node:path';
import type { Bench } from '../context.js';
import { figure, type Figure } from '../figures.js';
import type { BenchServer } from '../server-process.js';
import { baseOf, isMount } from '../options.js';
import { DATA, type Metric, type Phase, type Sample } from './contract.js';
import { profileText } from '../report/profile.js';

type Samples = Map<string, Sample[]>;

/**
 * Runs the phases in which the servers alternate slice by slice, so that a slow moment of the machine affects all. Each
 * round has fresh processes; a ratio is always to the floor's slice next to it.
 */
export async function runRounds(bench: Bench, phases: readonly Phase[]): Promise<readonly Figure[]> {
  if (phases.length === 0) return [];
  const samples = new Map(phases.map((phase): [Phase, Samples] => [phase, new Map<string, Sample[]>()]));
  for (let round = 1; round <= bench.options.runs; round++) {
    bench.log(`round ${round} of ${bench.options.runs}`);
    const servers = await startAll(bench);
    try {
      for (const phase of phases) {
        const measured = phase.mounts === true ? servers : servers.filter(({ spec }) => !isMount(spec));
        await runPhase(bench, phase, measured, samples.get(phase) as Samples, round);
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return [...samples].flatMap(([phase, own]) => figuresOf(phase, own));
}

async function startAll(bench: Bench): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (const spec of bench.options.servers) {
    try {
      const server = await bench.park.start(spec);
      servers.push(server);
      await bench.client.fill(server, DATA);
    } catch (error) {
      if (spec.kind === 'floor') throw error;
      servers.splice(0, servers.length, ...servers.filter((server) => server.spec !== spec));
      bench.warn(`${spec.name} is left out: ${(error as Error).message}`);
    }
  }
  return servers;
}

async function runPhase(
  bench: Bench,
  phase: Phase,
  servers: BenchServer[],
  own: Samples,
  round: number,
): Promise<void> {
  const slices = phase.slices ?? bench.options.times.slices;
  const failed = new Set<BenchServer>();
  for (let slice = 0; slice < slices; slice++) {
    // The first server has the colder machine, so the order changes from round to round.
    const turn = (slice + round) % servers.length;
    const slot = (round - 1) * slices + slice;
    const last = round === bench.options.runs && slice === slices - 1;
    for (const server of [...servers.slice(turn), ...servers.slice(0, turn)]) {
      if (failed.has(server)) continue;
      try {
        const sample = await profiled(bench, phase, server, last, () => phase.measure(bench, server, slice === 0));
        const list = own.get(server.spec.name) ?? [];
        list[slot] = sample;
        own.set(server.spec.name, list);
        bench.log(
          `  ${phase.id} ${server.spec.name} ${Object.entries(sample)
            .map(([key, value]) => `${key} ${short(value)}`)
            .join(', ')}`,
        );
      } catch (error) {
        failed.add(server);
        bench.warn(`${phase.id}, ${server.spec.name}: ${(error as Error).message}`);
      }
    }
  }
}

const short = (value: number): string => (value >= 100 ? Math.round(value).toString() : value.toFixed(2));

const PROFILE_LIMIT_MS = 30_000;

async function profiled<T>(
  bench: Bench,
  phase: Phase,
  { spec, worker }: BenchServer,
  last: boolean,
  measure: () => Promise<T>,
): Promise<T> {
  const { profile } = bench.options;
  if (profile === undefined || spec.kind !== 'vitals' || !worker) return measure();
  await worker.call('startProfile', undefined, PROFILE_LIMIT_MS);
  try {
    return await measure();
  } finally {
    const file = join(profile, `${phase.id}-${spec.name}.cpuprofile`);
    await worker.call('stopProfile', file, PROFILE_LIMIT_MS);
    if (last) bench.log(profileText(file));
  }
}

function figuresOf(phase: Phase, samples: Samples): Figure[] {
  const figures = (name: string, list: readonly Sample[], { key, as, unit, better }: Metric): Figure[] => {
    const base = baseOf(name);
    if ((as === 'ratio' && name === base) || (as === 'floor-ratio' && base === 'floor')) return [];
    const compared = samples.get(as === 'floor-ratio' ? 'floor' : base) ?? [];
    const values = list.map((sample, slot) =>
      as === 'value' ? sample[key] : (sample[key] ?? Number.NaN) / (compared[slot]?.[key] ?? Number.NaN),
    );
    const known = values.filter((value): value is number => value !== undefined && Number.isFinite(value));
    if (known.length === 0) return [];
    return [figure(`${phase.id}.${key}.${name}`, known, { unit, better, orientation: as === 'value' && unit !== '×' })];
  };
  return [...samples].flatMap(([name, list]) => phase.metrics.flatMap((metric) => figures(name, list, metric)));
}
