import { defineConfig } from 'vitest/config';

/** A test that takes longer hangs; the limit leaves room for machines that do other things, and for disks that flush slowly. */
const project = (name: string, testTimeout = 60_000): { test: object } => ({
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: testTimeout,
    setupFiles: ['tests/random/seed-fast-check.ts', 'tests/wait-longer.ts'],
    // As in tests/wait-longer.ts.
    expect: { poll: { timeout: 20_000 } },
  },
});

export default defineConfig({
  test: {
    globalSetup: ['tests/random/print-seed.ts'],
    // Of the tests of a file that say they run side by side. They mostly wait.
    maxConcurrency: 16,
    projects: [
      project('unit'),
      project('conformance'),
      project('lifecycle'),
      project('package', 120_000),
      project('hostile', 120_000),
      project('clients'),
      project('engines', 120_000),
      // Compiles kube-apiserver, which takes a quarter of an hour where Go's cache is empty.
      project('cluster', 1_800_000),
    ],
  },
});
