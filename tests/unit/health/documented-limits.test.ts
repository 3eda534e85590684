import { describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthCheck } from '../../../src/health/contract.js';
import type { HealthOptions } from '../../../src/health/options.js';
import { get } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

/** The defaults and bounds of the options of health, each at its bound and one beyond it. */

const never = (): Promise<void> => new Promise(() => undefined);

describe('a health object without options', () => {
  it('gives a check a timeout of 2,000 ms', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    health.add({ name: 'slow', check: never });
    const asked = get(health, '/readyz');
    let status = 0;
    void asked.then((response) => (status = response.status));
    await clock.advance(1_999);
    expect(status).toBe(0);
    await clock.advance(1);
    expect(status).toBe(500);
    expect((await health.report('readyz')).checks.find(({ name }) => name === 'slow')?.reason).toContain('timed out');
  });

  it('runs 16 checks at once, and lets the next wait for half of its timeout', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    let started = 0;
    const check = (): Promise<void> => {
      started += 1;
      return never();
    };
    for (let index = 0; index < 17; index += 1) health.add({ name: `check-${index}`, check });
    void get(health, '/readyz');
    await settle();
    expect(started).toBe(16);
    await clock.advance(999);
    expect(started).toBe(16);
    await clock.advance(1);
    expect(started).toBe(17);
    await clock.advance(1_000);
  });

  it('has no grace period, sends no Audit-Id, needs no authentication and ends in “healthz check passed”', async () => {
    const health = createHealth();
    health.addPostStartHook('a');
    expect((await get(health, '/livez')).status).toBe(500);
    const { headers, text } = await get(createHealth(), '/livez?verbose');
    expect(headers).not.toHaveProperty('audit-id');
    expect(text).toMatch(/\nhealthz check passed\n$/);
  });
});

describe('a check without options', () => {
  it('counts for readyz and healthz, is critical, has thresholds of 1, and is neither cached nor a start-up check', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, livezGracePeriodMs: 60_000 });
    let up = true;
    let runs = 0;
    health.add({ name: 'a', check: () => (runs++, up) });
    const statuses = async (): Promise<number[]> => [
      (await get(health, '/readyz')).status,
      (await get(health, '/healthz')).status,
      (await get(health, '/livez')).status,
    ];
    expect([await statuses(), runs]).toEqual([[200, 200, 200], 2]);
    up = false;
    expect([await statuses(), runs]).toEqual([[500, 500, 200], 4]);
    up = true;
    expect([await statuses(), runs]).toEqual([[200, 200, 200], 6]);
    health.add({ name: 'b', check: () => false, endpoints: ['livez'] });
    expect((await get(health, '/livez')).status).toBe(500);
  });
});

describe('the range of an option', () => {
  it.each<[keyof HealthOptions, number[], number[]]>([
    ['concurrency', [1], [0, 1.5]],
    ['timeoutMs', [1, 3_600_000], [0, 3_600_001]],
    ['livezGracePeriodMs', [0], [-1, Infinity]],
  ])('is checked for %s of createHealth', (name, fits, beyond) => {
    for (const value of fits) expect(() => createHealth({ [name]: value })).not.toThrow();
    for (const value of beyond) expect(() => createHealth({ [name]: value })).toThrow(`${name} must be`);
  });

  it.each<[keyof HealthCheck, unknown[], unknown[]]>([
    ['name', ['a', 'a'.repeat(253), 'a/b'], ['', 'a'.repeat(254), 'a b', 'a//b', '/a', 'a/', '..', 'a/.', 'a\n']],
    ['group', ['g', 'a'.repeat(253)], ['', 'a'.repeat(254), 'a b']],
    ['timeoutMs', [1, 3_600_000], [0, 3_600_001]],
    ['periodMs', [1, 86_400_000], [0, 86_400_001]],
    ['cacheMs', [0, 86_400_000], [-1, 86_400_001]],
    ['failureThreshold', [1], [0, 1.5]],
    ['successThreshold', [1], [0, 1.5]],
    ['endpoints', [['livez'], ['readyz', 'livez', 'healthz']], [[], ['ready'], 'livez']],
  ])('is checked for %s of a check', (name, fits, beyond) => {
    for (const value of fits) {
      const health = createHealth();
      expect(() => health.add({ name: 'a', check: () => undefined, [name]: value })).not.toThrow();
      health.close();
    }
    for (const value of beyond) {
      expect(() => createHealth().add({ name: 'a', check: () => undefined, [name]: value })).toThrow(`${name} must be`);
    }
  });

  it('is 4,096 characters for a reason, with an ellipsis if it had more', async () => {
    for (const [length, cut] of [
      [MAX_REASON_LENGTH, false],
      [MAX_REASON_LENGTH + 1, true],
    ] as const) {
      const health = createHealth();
      health.add({ name: 'a', check: () => new Error('x'.repeat(length)) });
      const { checks } = await health.report('readyz');
      const reason = checks.find(({ name }) => name === 'a')?.reason;
      expect([reason?.length, reason?.endsWith('…')]).toEqual([cut ? MAX_REASON_LENGTH + 1 : MAX_REASON_LENGTH, cut]);
    }
  });

  it('is a minute for `timeout` of a request, and a longer one is ignored', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, timeoutMs: 120_000 });
    health.add({ name: 'slow', check: never });
    const after = async (timeout: string, ms: number): Promise<number | undefined> => {
      let status: number | undefined;
      void get(health, `/readyz?timeout=${timeout}`).then((response) => (status = response.status));
      await clock.advance(ms);
      return status;
    };
    expect(await after('59999ms', 59_998)).toBeUndefined();
    expect(await after('1ms', 1)).toBe(504);
    expect(await after('60s', 60_000)).not.toBe(504);
  });
});

/** As in `health/outcome.ts`. */
const MAX_REASON_LENGTH = 4_096;

it('a target has at most 65,536 characters and 1,024 parameters, and a longer one is 431', async () => {
  const health = createHealth();
  const statusOf = async (url: string): Promise<number> => (await get(health, url)).status;
  expect(await statusOf('/livez?x='.padEnd(65_536, 'x'))).toBe(200);
  expect(await statusOf('/livez?x='.padEnd(65_537, 'x'))).toBe(431);
  expect(await statusOf(`/readyz?${'a&'.repeat(1_023)}`)).toBe(200);
  expect(await statusOf(`/readyz?${'a&'.repeat(1_024)}`)).toBe(431);
});

it('the shortest grace period is a millisecond', async () => {
  const clock = manualClock();
  const health = createHealth({ clock, livezGracePeriodMs: 1 });
  health.addPostStartHook('a');
  expect((await get(health, '/livez')).status).toBe(200);
  await clock.advance(1);
  expect((await get(health, '/livez')).status).toBe(500);
});

it('a report shows since when a built-in check has its status', async () => {
  const clock = manualClock();
  const health = createHealth({ clock });
  const since = async (): Promise<(string | undefined)[]> =>
    (await health.report('readyz')).checks.map((check) => check.since);
  expect(await since()).toEqual(Array.from({ length: 3 }, () => '2026-01-01T00:00:00.000Z'));
  await clock.advance(1_000);
  health.startShutdown();
  expect((await since())[2]).toBe('2026-01-01T00:00:01.000Z');
});
