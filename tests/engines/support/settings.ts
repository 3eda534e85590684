import { testSeed } from '../../random/seed.js';

/** How long and with which seed the tests with real processes run; `npm run faults` sets the variables. */
export interface Settings {
  /** Rounds of each fault. */
  readonly rounds: number;
  /** The least time under load in a round, half before the fault and half after it. */
  readonly seconds: number;
  readonly seed: number;
}

function numberFrom(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} must be a whole number, not ${text}`);
  return value;
}

export function readSettings(): Settings {
  return {
    rounds: Math.max(1, numberFrom('FAULT_ROUNDS', 1)),
    seconds: numberFrom('FAULT_SECONDS', 0),
    seed: testSeed(),
  };
}

/** The timeout of a test that runs this many rounds. */
export function testTimeoutMs({ rounds, seconds }: Settings): number {
  return 120_000 + rounds * (seconds * 1000 + 120_000);
}

/** Prints a line past the test reporter: counts and times are what these tests are for. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
