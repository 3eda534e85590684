import { testSeed } from './seed.js';

/** Runs once, before all tests: a failure of a random test can be seen again with the seed that is printed. */
export function setup(): void {
  process.stdout.write(`random tests run with TEST_SEED=${testSeed()}\n`);
}
