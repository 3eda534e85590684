import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import config from '../../vitest.config.js';
import { setup } from '../random/print-seed.js';
import { testSeed } from '../random/seed.js';

/** The seed of this run, before a test replaces the variable. */
const ofThisRun = process.env.TEST_SEED;

beforeEach(() => {
  return () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    vi.useRealTimers();
  };
});

describe('the seed of random tests', () => {
  it.each([0, 1, 42, 2_147_483_647])('is that of TEST_SEED: %i', (seed) => {
    vi.stubEnv('TEST_SEED', String(seed));
    expect(testSeed()).toBe(seed);
  });

  it.each([undefined, ''])('is chosen where TEST_SEED is %j, for all processes of the run', (value) => {
    vi.useFakeTimers({ now: Date.UTC(2026, 2, 5) });
    vi.stubEnv('TEST_SEED', value);
    const seed = testSeed();
    expect(seed).toBe(Date.UTC(2026, 2, 5) % 2 ** 31);
    // A later process, and a later call, get the same.
    expect(process.env.TEST_SEED).toBe(String(seed));
    vi.setSystemTime(Date.UTC(2026, 2, 6));
    expect(testSeed()).toBe(seed);
    // Another run gets another.
    vi.stubEnv('TEST_SEED', value);
    expect(testSeed()).not.toBe(seed);
  });

  it.each(['-1', '1.5', '2147483648', 'seed', '1e400'])('is refused with its value where TEST_SEED is %s', (value) => {
    vi.stubEnv('TEST_SEED', value);
    expect(() => testSeed()).toThrow(
      `TEST_SEED must be a whole number from 0 to 2147483647, not ${JSON.stringify(value)}`,
    );
  });

  it('is printed on one line, as it is given to the next run', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('TEST_SEED', '42');
    setup();
    vi.stubEnv('TEST_SEED', undefined);
    setup();
    expect(write.mock.calls).toEqual([
      ['random tests run with TEST_SEED=42\n'],
      [`random tests run with TEST_SEED=${process.env.TEST_SEED}\n`],
    ]);
  });

  it('is printed before all tests of a run, and set for fast-check before each file of every project', () => {
    const { globalSetup, projects = [] } = config.test ?? {};
    expect(globalSetup).toContain('tests/random/print-seed.ts');
    expect(projects.length).toBeGreaterThan(0);
    for (const project of projects) {
      expect(project).toMatchObject({
        test: { setupFiles: ['tests/random/seed-fast-check.ts', 'tests/wait-longer.ts'] },
      });
    }
    expect(ofThisRun).toMatch(/^\d+$/);
    expect(fc.readConfigureGlobal()).toMatchObject({ seed: Number(ofThisRun) });
  });
});
