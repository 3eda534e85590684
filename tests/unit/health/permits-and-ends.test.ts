import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import type { CheckReport, Health, HealthChange } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { Observation } from '../../../src/observe/observation.js';
import { deferred, get } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

const never = (): Promise<never> => new Promise(() => undefined);
const reportOf = async (health: Health, name: string): Promise<CheckReport | undefined> =>
  (await health.report('readyz')).checks.find((one) => one.name === name);

describe('a permit to run', () => {
  it.each<[string, () => unknown]>([
    ['passes at once', () => true],
    ['fails at once', () => false],
    ['throws', () => { throw new Error('why'); }], // prettier-ignore
    ['passes later', () => Promise.resolve()],
    ['rejects', () => Promise.reject(new Error('why'))],
  ])('is released by a check that %s', async (_, check) => {
    const clock = manualClock();
    const health = createHealth({ clock, concurrency: 1 });
    health.add({ name: 'first', check: check as () => void });
    for (let round = 0; round < 3; round++) await health.report('readyz');
    let runs = 0;
    health.add({ name: 'second', check: () => void runs++ });
    const report = health.report('readyz');
    await settle();
    expect(runs).toBe(1);
    await report;
    expect(clock.pending()).toBe(0);
  });

  it('is released once by a check that exceeds its timeout', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, concurrency: 1, timeoutMs: 100 });
    const hanging = deferred();
    health.add({ name: 'hanging', check: () => hanging.promise });
    void health.report('readyz');
    await clock.advance(100);
    health.remove('hanging');
    hanging.resolve();
    await settle();
    // One permit, and not two.
    let started = 0;
    for (const name of ['a', 'b']) health.add({ name, check: () => (started++, never()) });
    void health.report('readyz');
    await settle();
    expect(started).toBe(1);
    await clock.advance(50);
    expect(started).toBe(2);
    await clock.advance(100);
    expect(clock.pending()).toBe(0);
  });

  it('goes to waiting checks in the order in which they began to wait', async () => {
    const health = createHealth({ clock: manualClock(), concurrency: 1 });
    const ends = ['a', 'b', 'c'].map(() => deferred());
    const started: string[] = [];
    ['a', 'b', 'c'].forEach((name, index) =>
      health.add({ name, check: () => (started.push(name), ends[index]?.promise) }),
    );
    const report = health.report('readyz');
    for (const [index, { resolve }] of ends.entries()) {
      await settle();
      expect(started).toEqual(['a', 'b', 'c'].slice(0, index + 1));
      resolve();
    }
    expect((await report).status).toBe('ok');
  });

  it('lets a check run in the AsyncLocalStorage context of its own probe', async () => {
    const current = new AsyncLocalStorage<string>();
    const health = createHealth({ clock: manualClock(), concurrency: 1 });
    const found: unknown[] = [];
    for (const name of ['a', 'b']) {
      health.add({
        name,
        endpoints: [name === 'a' ? 'livez' : 'readyz'],
        check: async () => void found.push(current.getStore()),
      });
    }
    await Promise.all([
      current.run('first', () => health.report('livez')),
      current.run('second', () => health.report('readyz')),
    ]);
    expect(found).toEqual(['first', 'second']);
  });

  it('is not released by a check that started without one', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, concurrency: 1, timeoutMs: 1_000 });
    const started: string[] = [];
    const run = (name: string, check: () => Promise<void>) => (): Promise<void> => (started.push(name), check());
    const first = deferred();
    health.add({ name: 'first', check: run('first', () => first.promise), timeoutMs: 10_000 });
    health.add({ name: 'hasty', check: run('hasty', () => Promise.resolve()), timeoutMs: 20 });
    health.add({ name: 'patient', check: run('patient', () => Promise.resolve()), timeoutMs: 5_000 });
    const report = health.report('readyz');
    await clock.advance(10);
    // The end of `hasty` releases no permit.
    expect(started).toEqual(['first', 'hasty']);
    first.resolve();
    await settle();
    expect(started).toEqual(['first', 'hasty', 'patient']);
    expect((await report).status).toBe('ok');
    expect(clock.pending()).toBe(0);
  });
});

describe('removal and close', () => {
  it('let a probe that waits for a removed check have its verdict, and report no change', async () => {
    const health = createHealth({ clock: manualClock() });
    const changes: HealthChange[] = [];
    health.onChange((change) => changes.push(change));
    const { promise, resolve } = deferred<boolean>();
    health.add({ name: 'a', check: () => promise });
    const report = reportOf(health, 'a');
    await settle();
    health.remove('a');
    resolve(false);
    expect(await report).toMatchObject({ status: 'failed', reason: 'failed without a reason' });
    expect(changes).toEqual([]);
  });

  it('keep a background check that is removed before its first run from running', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    let runs = 0;
    health.add({ name: 'a', check: () => void runs++, periodMs: 10 });
    health.remove('a');
    await clock.advance(100);
    expect([runs, clock.pending()]).toEqual([0, 0]);
  });

  it('keep a background check that is removed during a run from running again', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    const { promise, resolve } = deferred();
    let runs = 0;
    health.add({ name: 'a', check: () => (runs++, promise), periodMs: 10 });
    await settle();
    health.remove('a');
    resolve();
    await clock.advance(100);
    expect([runs, clock.pending()]).toEqual([1, 0]);
  });

  it('fail checks that wait for a permit without running them, and abort the signals of those that run', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, concurrency: 1 });
    const reasons: unknown[] = [];
    const runs: string[] = [];
    for (const name of ['running', 'waiting', 'last']) {
      health.add({
        name,
        check: ({ signal }) => (runs.push(name), signal.addEventListener('abort', () => reasons.push(signal.reason)), never()), // prettier-ignore
      });
    }
    const report = health.report('readyz');
    await settle();
    health.close();
    const { checks } = await report;
    expect(checks.map(({ status, reason }) => `${status} ${reason ?? ''}`.trim())).toEqual([
      'ok',
      'ok',
      ...Array.from({ length: 3 }, () => 'failed the health object has been closed'),
      'ok',
    ]);
    expect([runs, reasons]).toMatchObject([['running'], [{ name: 'AbortError' }]]);
    await clock.advance(10_000);
    expect([runs, clock.pending()]).toEqual([['running'], 0]);
  });

  it('abort a run whose check itself closes before it returns a promise', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    let signal: AbortSignal | undefined;
    health.add({ name: 'a', check: (context) => ((signal = context.signal), health.close(), never()) });
    const reason = reportOf(health, 'a').then((report) => report?.reason);
    await settle();
    expect([signal?.reason, clock.pending()]).toMatchObject([{ name: 'AbortError' }, 0]);
    expect(await reason).toBe('the health object has been closed');
  });

  it('do not fail a run that ended before, nor abort its signal', async () => {
    const health = createHealth({ clock: manualClock() });
    const changes: HealthChange[] = [];
    let signal: AbortSignal | undefined;
    health.add({ name: 'a', check: (context) => ((signal = context.signal), Promise.resolve()) });
    await health.report('readyz');
    health.onChange((change) => changes.push(change));
    health.close();
    expect([signal?.aborted, changes]).toEqual([false, []]);
    expect((await reportOf(health, 'a'))?.reason).toBe('the health object has been closed');
  });
});

describe('the verdict of a check', () => {
  it('is as critical as the last failure while the check recovers, and shows how far it is', async () => {
    const health = createHealth({ clock: manualClock() });
    const results = [{ ok: false, reason: 'slow', critical: false } as const, true, false, true, true, true, false];
    health.add({ name: 'a', check: () => results.shift() ?? true, successThreshold: 3 });
    const seen: string[] = [];
    while (results.length > 0) {
      const { status, reason } = (await reportOf(health, 'a')) ?? { status: 'missing' };
      seen.push(reason === undefined ? status : `${status}: ${reason}`);
    }
    expect(seen).toEqual([
      'degraded: slow',
      'degraded: slow; since then passed 1 of 3 times',
      'failed: failed without a reason',
      'failed: failed without a reason; since then passed 1 of 3 times',
      'failed: failed without a reason; since then passed 2 of 3 times',
      'ok',
      'failed: failed without a reason',
    ]);
  });

  it('names no earlier failure where a check needs several passes to begin with', async () => {
    const health = createHealth({ clock: manualClock() });
    health.add({ name: 'a', check: () => true, successThreshold: 2 });
    expect(await reportOf(health, 'a')).toMatchObject({ status: 'failed', reason: 'passed 1 of 2 times' });
    expect(await reportOf(health, 'a')).toMatchObject({ status: 'ok' });
  });

  it('starts to count the failures below the threshold again after each pass', async () => {
    const health = createHealth({ clock: manualClock() });
    const results = '+--+--+---'.split('').map((one) => one === '+');
    health.add({ name: 'a', check: () => results.shift() ?? true, failureThreshold: 3 });
    const seen: (string | undefined)[] = [];
    while (results.length > 0) seen.push((await reportOf(health, 'a'))?.status);
    expect(seen).toEqual([...Array.from({ length: 9 }, () => 'ok'), 'failed']);
  });

  it('is determined again in the same millisecond without a cache, and not with one', async () => {
    const health = createHealth({ clock: manualClock() });
    const runs = { plain: 0, cached: 0 };
    health.add({ name: 'plain', check: () => void runs.plain++ });
    health.add({ name: 'cached', check: () => void runs.cached++, cacheMs: 1 });
    for (let round = 0; round < 3; round++) await health.report('readyz');
    expect(runs).toEqual({ plain: 3, cached: 1 });
  });
});

describe('observations and changes', () => {
  it('reach a listener twice that was added twice, and each end ends one', async () => {
    const health = createHealth({ clock: manualClock() });
    let calls = 0;
    let up = true;
    const listener = (): void => void calls++;
    const ends = [health.onChange(listener), health.onChange(listener)];
    health.add({ name: 'a', check: () => up });
    const turn = async (): Promise<number> => {
      up = !up;
      calls = 0;
      await health.report('readyz');
      return calls;
    };
    await health.report('readyz');
    expect(await turn()).toBe(2);
    ends[0]?.();
    ends[0]?.();
    expect(await turn()).toBe(1);
    ends[1]?.();
    expect(await turn()).toBe(0);
  });

  it('include the error of a listener, and a listener that is not a function is refused', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ clock: manualClock(), observe: (one) => void seen.push(one) });
    const error = new Error('listener');
    health.onChange(() => {
      throw error;
    });
    health.add({ name: 'a', check: () => false });
    await health.report('readyz');
    expect(seen).toContainEqual({ type: 'error', error, where: 'health: onChange listener' });
    expect(() => health.onChange(undefined as never)).toThrow(
      new TypeError('health.onChange: the listener must be a function'),
    );
  });

  it('include what an async listener rejects with, which is no unhandled rejection', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ clock: manualClock(), observe: (one) => void seen.push(one) });
    const error = new Error('async listener');
    let calls = 0;
    health.onChange(() => {
      calls++;
      return Promise.reject(error) as unknown as undefined;
    });
    health.add({ name: 'a', check: () => false });
    const report = health.report('readyz');
    expect(calls).toBe(1);
    await report;
    await settle();
    expect(seen).toContainEqual({ type: 'error', error, where: 'health: onChange listener' });
  });

  it('include the failures of a root with their reasons, but no degraded or excluded checks', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ clock: manualClock(), observe: (one) => void seen.push(one) });
    const error = new Error('why');
    health.add({ name: 'down', check: () => error });
    health.add({ name: 'minor', check: () => false, critical: false });
    health.add({ name: 'ignored', check: () => false });
    const failures = (): Observation[] => seen.splice(0).filter(({ type }) => type === 'health.failed');
    await get(health, '/readyz?exclude=ignored');
    expect(failures()).toEqual([
      { type: 'health.failed', root: 'readyz', failures: [{ name: 'down', reason: 'why', error }] },
    ]);
    await get(health, '/healthz/down');
    expect(failures()).toEqual([
      { type: 'health.failed', root: 'healthz', failures: [{ name: 'down', reason: 'why', error }] },
    ]);
    await get(health, '/healthz/minor');
    await get(health, '/readyz?exclude=ignored&exclude=down');
    await get(health, '/livez');
    expect(failures()).toEqual([]);
  });

  it('are followed for at most 1,024 promises of the hook at a time, and those beyond may reject', async () => {
    const clock = manualClock();
    const promises: ReturnType<typeof deferred<void>>[] = [];
    const health = createHealth({
      clock,
      observe: () => {
        const one = deferred<void>();
        promises.push(one);
        return one.promise;
      },
    });
    const tell = (): void => void health.observe({ type: 'error', error: 1, where: 'elsewhere' });
    const blocked = async (): Promise<boolean> =>
      (await health.report('livez')).checks.some(({ name, status }) => name === 'log' && status === 'failed');
    for (let index = 0; index < 1_024; index++) tell();
    await clock.advance(60_000);
    tell();
    for (const { resolve } of promises.slice(0, 1_024)) resolve();
    promises[1_024]?.reject(new Error('x'));
    await settle();
    tell();
    await clock.advance(119_999);
    expect(await blocked()).toBe(false);
    await clock.advance(1);
    expect(await blocked()).toBe(true);
  });
});
