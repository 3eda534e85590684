import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { corpusServer } from './corpus-server.js';
import { verdictOf, type Difference, type ReplayResult, type SoftDifference } from './recorded.js';

/** The part of the replay that is used. It is plain JavaScript, kept as it came with the recording. */
interface Replay {
  readonly runScenario: (
    target: { readonly base: string; readonly tokens: Readonly<Record<string, string>> },
    scenario: Scenario,
  ) => Promise<readonly unknown[]>;
  readonly expected: (scenario: Scenario, index: number, recorded: unknown, all: readonly Recorded[]) => unknown;
  readonly observed: (scenario: Scenario, index: number, recorded: unknown, got: unknown) => unknown;
  readonly compareExchange: (
    want: unknown,
    got: unknown,
  ) => { readonly hard: readonly Difference[]; readonly soft: readonly Omit<SoftDifference, 'step'>[] };
  readonly args: (words: readonly string[]) => { readonly tokens: Readonly<Record<string, string>> };
}

interface Scenario {
  readonly id: string;
}

interface Recorded extends Scenario {
  readonly area: string;
  readonly exchanges: readonly { readonly step: string }[];
}

const file = (name: string): URL => new URL(`corpus/${name}`, import.meta.url);
const json = <T>(name: string): T => JSON.parse(readFileSync(file(name), 'utf8')) as T;
const load = (name: string): Promise<Replay> => import(file(name).href) as Promise<Replay>;

const { runScenario } = await load('runner.mjs');
const { expected, observed } = await load('deviations.mjs');
const { compareExchange } = await load('compare.mjs');
const { tokens } = (await load('cli.mjs')).args([]);

const { scenarios: recorded } = json<{ readonly scenarios: readonly Recorded[] }>('corpus.json');
const scenarios = new Map(json<readonly Scenario[]>('scenarios.json').map((scenario) => [scenario.id, scenario]));

async function replay(want: Recorded): Promise<ReplayResult & { readonly differences: readonly unknown[] }> {
  const scenario = scenarios.get(want.id);
  if (scenario === undefined) throw new Error(`${want.id} is recorded but not in scenarios.json`);
  const server = await corpusServer();
  try {
    const got = await runScenario({ base: server.base, tokens }, scenario);
    if (got.length !== want.exchanges.length)
      throw new Error(`${got.length} exchanges instead of ${want.exchanges.length}`);
    const steps = want.exchanges.flatMap((exchange, index) => {
      const wanted = expected(scenario, index, exchange, recorded);
      if (wanted === undefined) return [];
      const compared = compareExchange(wanted, observed(scenario, index, exchange, got[index]));
      return [{ step: index + 1, name: exchange.step, ...compared }];
    });
    const failed = steps.filter(({ hard }) => hard.length > 0);
    return {
      id: want.id,
      first: failed[0],
      failedSteps: failed.length,
      soft: steps.flatMap(({ step, soft }) => soft.map((difference) => ({ ...difference, step }))),
      differences: steps.filter(({ hard, soft }) => hard.length + soft.length > 0),
    };
  } finally {
    await server.close();
  }
}

test.concurrent.each(recorded.map((want) => [`${want.area}/${want.id}`, want] as const))(
  'the server responds as recorded: %s',
  async (_title, want) => {
    const { differences, ...result } = await replay(want);
    if (!verdictOf(result).pass) expect(differences).toEqual([]);
  },
  60_000,
);

test('every recorded scenario is replayed', () => {
  expect(recorded).toHaveLength(219);
  expect(new Set(recorded.map(({ id }) => id)).size).toBe(219);
});
