import { defineConfig } from 'vitest/config';

// Stryker's Vitest runner has no option for a list of test files that also applies to mutants at module level, so
// scripts/mutation.mjs passes the list here.
export default defineConfig({
  test: {
    include: JSON.parse(process.env['MUTATION_TESTS'] ?? '[]') as string[],
    // Faster with one copy of the modules for all test files, but then mutants of what a module does when it is loaded survive.
    isolate: process.env['MUTATION_ISOLATE'] !== 'no',
    setupFiles: [
      'tests/random/seed-fast-check.ts',
      ...(process.env['MUTATION_WHOLE'] === 'yes' ? ['tests/mutation/whole-files.ts'] : []),
    ],
    testTimeout: Number(process.env['MUTATION_TEST_TIMEOUT_MS']),
    hookTimeout: Number(process.env['MUTATION_TEST_TIMEOUT_MS']),
  },
});
