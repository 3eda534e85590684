// Runs the tests with real processes for any number of rounds: servers and databases are killed, frozen, cut off and
// filled up under load, and everything that clients received is checked afterwards (docs/testing-stores.md).
//   npm run faults                                one short round of each
//   npm run faults -- --rounds 10 --seconds 30    ten rounds of each, with half a minute of load
//   npm run faults -- --seed 42 --only kill-leader
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, scratchFolder } from './gate.mjs';

const USAGE = 'npm run faults -- [--rounds N] [--seconds S] [--seed X] [--only NAME]';

function readOptions() {
  const whole = { type: 'string' };
  try {
    const { values } = parseArgs({ options: { rounds: whole, seconds: whole, seed: whole, only: whole } });
    for (const name of ['rounds', 'seconds', 'seed']) {
      if (values[name] !== undefined && !/^\d{1,9}$/.test(values[name])) throw new Error(`--${name} takes a number`);
    }
    return values;
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

const { rounds, seconds, only, seed = String(Date.now() % 1_000_000_000) } = readOptions();
const report = join(scratchFolder(), 'report.json');
const words = [
  ...[join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'engines'],
  ...['tests/engines/faults', 'tests/engines/replicas', 'tests/engines/linearizability'],
  ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
  ...(only === undefined ? [] : ['-t', only]),
];
const env = {
  ...process.env,
  TEST_SEED: seed,
  ...(rounds !== undefined && { FAULT_ROUNDS: rounds }),
  ...(seconds !== undefined && { FAULT_SECONDS: seconds }),
};
console.log(`seed ${seed}`);
const child = spawn(process.execPath, words, { cwd: root, env, stdio: 'inherit' });
const code = await new Promise((resolve) => child.once('close', resolve));
const counts = await readFile(report, 'utf8').then(JSON.parse, () => ({ numPassedTests: 0, numFailedTests: 1 }));
const { numPassedTests: passed, numFailedTests: failed } = counts;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = code === 0 && passed > 0 ? 0 : 1;
