// npm run bench: options.ts has the options, targets.ts the bounds that the figures should meet.
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createBenchClient, type Bench } from './context.js';
import type { Figure } from './figures.js';
import { readOptions, USAGE, type BenchOptions } from './options.js';
import { phases, scenarios } from './parts.js';
import { runRounds } from './phases/rounds.js';
import { readBaseline, writeBaseline } from './report/baseline.js';
import { writePage } from './report/page.js';
import { table } from './report/table.js';
import { startWorker } from './rpc.js';
import { createServerPark } from './server-process.js';

/** No run takes longer, whatever happens. */
const MAX_RUN_MS = 3 * 3_600_000;

async function main(options: BenchOptions): Promise<void> {
  const wanted = ({ id }: { readonly id: string }): boolean =>
    options.only.length === 0 || options.only.some((name) => id === name || id.startsWith(`${name}-`));
  for (const name of options.only) {
    if (![...phases, ...scenarios].some(({ id }) => id === name || id.startsWith(`${name}-`))) {
      throw new Error(`--only: there is no phase ${name}`);
    }
  }
  const warnings = new Set<string>();
  const disturbances = new Map<string, number[]>();
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const warn = (line: string): void => {
    if (!warnings.has(line)) log(`! ${line}`);
    warnings.add(line);
  };
  const disturbed = (phase: string, share: number): void => {
    disturbances.set(phase, [...(disturbances.get(phase) ?? []), share]);
  };
  const scratch = await mkdtemp(join(tmpdir(), 'kube-vitals-bench-'));
  const park = createServerPark(scratch);
  const worker = await startWorker('client/main.ts');
  const stop = async (): Promise<void> => {
    await Promise.all([park.stopAll(), worker.stop()]);
    await rm(scratch, { recursive: true, force: true });
  };
  const interrupted = (): void => void stop().finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  setTimeout(() => {
    log(`stopped: more than ${MAX_RUN_MS / 3_600_000} hours`);
    interrupted();
  }, MAX_RUN_MS).unref();

  const profile = options.profile === undefined ? undefined : resolve(options.profile);
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const bench: Bench = {
    options: { ...options, profile },
    park,
    client: createBenchClient(worker, warn),
    log,
    warn,
    disturbed,
  };
  try {
    const figures: Figure[] = [...(await runRounds(bench, phases.filter(wanted)))];
    for (const scenario of scenarios.filter(wanted)) {
      log(scenario.title);
      figures.push(...(await scenario.run(bench)));
    }
    process.stdout.write(`${table(figures, options.quick ? [] : readBaseline())}\n`);
    for (const [phase, shares] of disturbances) {
      const most = Math.max(...shares).toFixed(1);
      warn(
        `${phase}: other programs used up to ${most} cores during ${shares.length} slices; its figures are less sure`,
      );
    }
    for (const line of warnings) process.stdout.write(`! ${line}\n`);
    if (options.write) {
      const replaced = scenarios.filter(wanted).flatMap(({ id, changing }) => (changing ? [id] : []));
      writePage(writeBaseline(figures, replaced), [...phases, ...scenarios]);
    }
  } finally {
    await stop();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(`${USAGE}\n`);
  else await main(options);
} catch (error) {
  process.stderr.write(`bench: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
