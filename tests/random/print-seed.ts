import { testSeed } from './seed.js';

/** Runs once, before all tests: prints the seed, with which a failure of a random test can be reproduced. */
export function setup(): void {
  process.stdout.write(`random tests run with TEST_SEED=${testSeed()}\n`);
}
