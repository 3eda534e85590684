import { defineConfig } from 'vitest/config';

const project = (name: string, testTimeout = 10_000): { test: object } => ({
  test: { name, include: [`tests/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout },
});

export default defineConfig({
  test: {
    projects: [
      project('unit'),
      project('conformance'),
      project('lifecycle', 20_000),
      project('package', 120_000),
      project('clients', 60_000),
      project('engines', 120_000),
    ],
  },
});
