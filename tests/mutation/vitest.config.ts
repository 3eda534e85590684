import { defineConfig } from 'vitest/config';

// Stryker's Vitest runner takes no list of test files that holds for mutants at module level too, so scripts/mutation.mjs
// gives it here.
export default defineConfig({
  test: {
    include: JSON.parse(process.env['MUTATION_TESTS'] ?? '[]') as string[],
    setupFiles: ['tests/random/seed-fast-check.ts'],
    testTimeout: Number(process.env['MUTATION_TEST_TIMEOUT_MS']),
    hookTimeout: Number(process.env['MUTATION_TEST_TIMEOUT_MS']),
  },
});
