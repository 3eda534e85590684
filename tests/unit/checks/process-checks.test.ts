import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  diskCheck,
  eventLoopDelayCheck,
  eventLoopUtilizationCheck,
  gaugeCheck,
  heapCheck,
  memoryCheck,
  type HealthCheck,
} from '../../../src/checks.js';
import { createHealth } from '../../../src/index.js';

/** One result, through a health object. */
async function verdictOf(
  check: HealthCheck,
): Promise<{ readonly status: string; readonly reason?: string | undefined }> {
  const health = createHealth();
  health.add({ ...check, periodMs: undefined, failureThreshold: 1 });
  const report = await health.report('readyz');
  health.close();
  return report.checks.find(({ name }) => name === check.name) ?? { status: 'absent' };
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

afterEach(() => vi.restoreAllMocks());

describe('eventLoopDelayCheck', () => {
  it('passes at first, fails after the loop was held up, and passes again', async () => {
    const check = eventLoopDelayCheck({ maxMs: 100, percentile: 100 });
    expect(await verdictOf(check)).toMatchObject({ status: 'ok' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    block(300);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await verdictOf(check)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^the event loop was delayed by ([2-9]\d\d|\d{4,}) ms, more than 100$/) as unknown,
    });
    expect(await verdictOf(check)).toMatchObject({ status: 'ok' });
  });
});

describe('eventLoopUtilizationCheck', () => {
  it('looks at the time since the last run', async () => {
    const check = eventLoopUtilizationCheck({ max: 0 });
    expect(await verdictOf(check)).toMatchObject({ status: 'ok' });
    block(20);
    expect(await verdictOf(check)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^the event loop is busy/) as unknown,
    });
    expect(await verdictOf(eventLoopUtilizationCheck())).toMatchObject({ status: 'ok' });
  });
});

describe('heapCheck and memoryCheck', () => {
  it('pass for this process, and fail beyond a share of the limit, with figures', async () => {
    expect(await verdictOf(heapCheck())).toMatchObject({ status: 'ok' });
    expect(await verdictOf(heapCheck({ max: 0 }))).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^the heap is \d+\.\d % of \d+ bytes, more than 0\.0 %$/) as unknown,
    });
    expect(await verdictOf(memoryCheck({ limitBytes: 2 ** 50 }))).toMatchObject({ status: 'ok' });
    expect(await verdictOf(memoryCheck({ limitBytes: 1 }))).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^resident memory is \d+\.\d % of 1 bytes/) as unknown,
    });
  });

  it('pass where there is no limit, or find one that this process keeps', async () => {
    expect(await verdictOf(memoryCheck({ max: 1 }))).toMatchObject({ status: 'ok' });
  });

  it('name the function that got an option out of bounds', () => {
    expect(() => heapCheck({ max: 2 })).toThrow(/^heapCheck: max must be /);
    expect(() => memoryCheck({ max: 2 })).toThrow(/^memoryCheck: max must be /);
  });

  it('run every ten seconds and need three failures, unless the options differ', () => {
    for (const make of [heapCheck, memoryCheck]) {
      expect(make()).toMatchObject({ periodMs: 10_000, failureThreshold: 3 });
      expect(make({ periodMs: 1_000 })).toMatchObject({ periodMs: 1_000, failureThreshold: 3 });
      expect(make({ cacheMs: 5 })).toMatchObject({ cacheMs: 5, failureThreshold: 3 });
      expect(make({ cacheMs: 5 }).periodMs).toBeUndefined();
    }
  });
});

describe('diskCheck', () => {
  it('passes with enough free space, and fails below', async () => {
    const path = mkdtempSync(join(tmpdir(), 'kube-vitals-disk-'));
    try {
      writeFileSync(join(path, 'a'), 'a');
      expect(await verdictOf(diskCheck({ path, minFree: 0 }))).toMatchObject({ status: 'ok' });
      expect(await verdictOf(diskCheck({ path, minFree: 0, minFreeBytes: 2 ** 60 }))).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/^\d+ bytes \(\d+\.\d %\) are free at /) as unknown,
      });
      expect(await verdictOf(diskCheck({ path: join(path, 'none') }))).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('ENOENT') as unknown,
      });
    } finally {
      rmSync(path, { recursive: true });
    }
  });
});

describe('gaugeCheck', () => {
  it.each([
    [5, 'ok', undefined],
    [0, 'failed', '0 is below 1'],
    [11, 'failed', '11 is above 10'],
    [NaN, 'failed', 'NaN is not a number'],
    ['5', 'failed', '5 is not a number'],
  ])('compares %s with its bounds', async (value, status, reason) => {
    const verdict = await verdictOf(gaugeCheck({ name: 'queue', value: () => value as number, min: 1, max: 10 }));
    expect(verdict).toMatchObject({ status });
    expect(verdict.reason).toBe(reason);
  });

  it('waits for a promise, and needs a bound that can be kept', async () => {
    expect(await verdictOf(gaugeCheck({ value: () => Promise.resolve(2), max: 1 }))).toMatchObject({
      reason: '2 is above 1',
    });
    expect(() => gaugeCheck({ value: () => 1 })).toThrow('give min, max, or both');
    expect(() => gaugeCheck({ value: () => 1, min: 2, max: 1 })).toThrow('min must not be above max');
    expect(() => gaugeCheck({ value: () => 1, min: NaN })).toThrow(/min must be a number(,|$)/m);
  });
});

describe('a ready-made check', () => {
  it('warns at creation when a dependency is put into livez, and does nothing else', () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    diskCheck({ path: '/' });
    heapCheck({ endpoints: ['livez'] });
    expect(emitWarning).not.toHaveBeenCalled();
    diskCheck({ path: '/', name: 'data', endpoints: ['livez', 'readyz'] });
    expect(emitWarning.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^kube-vitals: diskCheck: the check "data" depends on something outside .* counts for livez/,
        ),
        { type: 'KubeVitalsWarning', code: 'KUBE_VITALS_LIVEZ' },
      ],
    ]);
  });

  it('accepts the options of every check', () => {
    const options = {
      name: 'x',
      timeoutMs: 5,
      critical: false,
      group: 'g',
      failureThreshold: 4,
      endpoints: ['healthz'],
    } as const;
    expect(diskCheck({ path: '/', ...options })).toMatchObject({ ...options, cacheMs: 10_000 });
    expect(diskCheck({ path: '/', periodMs: 1_000 }).cacheMs).toBeUndefined();
  });
});
