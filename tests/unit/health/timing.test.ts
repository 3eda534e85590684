import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { CheckReport, Health, HealthChange } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { Observation } from '../../../src/observe/observation.js';
import { deferred, get } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

const never = (): Promise<never> => new Promise(() => undefined);
const reportOf = async (health: Health, name: string): Promise<CheckReport | undefined> =>
  (await health.report('readyz')).checks.find((one) => one.name === name);

describe('times of a check', () => {
  it('are measured from the start of its run, whenever that was', async () => {
    const clock = manualClock();
    await clock.advance(5_000);
    const health = createHealth({ clock, timeoutMs: 100 });
    const { promise, resolve } = deferred();
    let runs = 0;
    health.add({ name: 'a', check: () => (runs++ === 0 ? promise : never()) });
    const first = reportOf(health, 'a');
    await clock.advance(40);
    resolve();
    expect(await first).toMatchObject({ status: 'ok', durationMs: 40 });
    const second = reportOf(health, 'a');
    await clock.advance(150);
    expect((await second)?.reason).toBe('timed out after 100 ms');
    expect((await reportOf(health, 'a'))?.reason).toBe('timed out: the run that began 150 ms ago has still not ended');
  });

  it('include the wait for a permit, and leave the rest of the timeout to the run', async () => {
    const clock = manualClock();
    await clock.advance(5_000);
    const health = createHealth({ clock, concurrency: 1 });
    const first = deferred();
    const second = deferred();
    health.add({ name: 'first', check: () => first.promise });
    health.add({ name: 'second', check: () => second.promise, timeoutMs: 100 });
    const report = health.report('readyz');
    await clock.advance(30);
    first.resolve();
    await clock.advance(69);
    second.resolve();
    expect(await report).toMatchObject({ status: 'ok' });
    const late = health.report('readyz');
    await settle();
    expect(await late).toMatchObject({ status: 'ok' });
    health.remove('first');
    health.add({ name: 'third', check: never, timeoutMs: 10_000 });
    health.remove('second');
    health.add({ name: 'fourth', check: never, timeoutMs: 100 });
    let over = false;
    const fourth = health.handle({ method: 'GET', url: '/readyz/fourth' });
    void Promise.resolve(health.handle({ method: 'GET', url: '/readyz/third' }));
    void Promise.resolve(fourth).then(() => (over = true));
    await clock.advance(99);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(over).toBe(true);
    await clock.advance(10_000);
  });

  it('in the background are counted from the end of a run to the start of the next', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    let runs = 0;
    health.add({
      name: 'a',
      check: () => {
        runs++;
        const { promise, resolve } = deferred();
        clock.setTimer(() => resolve(), 30);
        return promise;
      },
      periodMs: 10,
    });
    const seen: number[] = [];
    for (const ms of [0, 30, 9, 1, 30, 10]) {
      await clock.advance(ms);
      seen.push(runs);
    }
    expect(seen).toEqual([1, 1, 1, 2, 2, 3]);
    health.close();
  });
});

describe('the reason of a failure', () => {
  it.each<[string, unknown, string]>([
    ['an empty text', '', 'failed without a reason'],
    ['null', null, 'failed without a reason'],
    ['an object whose message is no text', { message: 42, name: 'Odd' }, 'Odd'],
    ['an object without message and name', { message: '', name: '' }, 'failed without a reason'],
    ['an object whose name is no text', { message: '', name: 7 }, 'failed without a reason'],
    ['an object with a message alone', { message: '' }, 'failed without a reason'],
  ])('is a text for whatever was thrown: %s', async (_, thrown, reason) => {
    const health = createHealth({ clock: manualClock() });
    health.add({
      name: 'a',
      check: () => {
        throw thrown;
      },
    });
    expect(await reportOf(health, 'a')).toMatchObject({ status: 'failed', reason });
  });

  it('is the message of an Error of another realm, and of one with another Symbol.toStringTag', async () => {
    const health = createHealth({ clock: manualClock() });
    health.add({ name: 'foreign', check: () => runInNewContext('new Error("why")') as Error });
    health.add({ name: 'tagged', check: () => Object.assign(new Error('why'), { [Symbol.toStringTag]: 'Tagged' }) });
    expect((await reportOf(health, 'foreign'))?.reason).toBe('why');
    expect((await reportOf(health, 'tagged'))?.reason).toBe('why');
  });
});

describe('a root', () => {
  it('that fails returns its response synchronously when no check is asynchronous', () => {
    const health = createHealth();
    health.add({ name: 'a', check: () => false });
    for (const url of ['/readyz', '/readyz?verbose']) {
      expect(health.handle({ method: 'GET', url })).toMatchObject({ status: 500 });
    }
  });

  it('that passes is a 200 with format=json', async () => {
    expect(await get(createHealth(), '/livez?format=json')).toMatchObject({
      status: 200,
      text: expect.stringContaining('"status":"ok"') as string,
    });
  });
});

describe('the signal of a run', () => {
  it('shows that the health object has been closed', async () => {
    const health = createHealth({ clock: manualClock() });
    let signal: AbortSignal | undefined;
    health.add({ name: 'a', check: (context) => ((signal = context.signal), never()) });
    void health.report('readyz');
    await settle();
    health.close();
    expect(signal?.reason).toMatchObject({ name: 'AbortError', message: 'the health object has been closed' });
  });
});

describe('a group', () => {
  it('excludes a start-up check where there is no grace period', async () => {
    const health = createHealth();
    health.add({ name: 'a', check: () => false, startup: true, endpoints: ['livez'], group: 'g' });
    expect((await get(health, '/livez?verbose&exclude=g')).text).toContain('[+]a excluded with g: ok\n');
  });
});

describe('built-in checks', () => {
  it('have no grace period', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, livezGracePeriodMs: 600_000, observe: never as () => Promise<void> });
    void health.observe({ type: 'error', error: 1, where: 'elsewhere' });
    await clock.advance(120_000);
    expect((await get(health, '/livez')).text).toContain('[-]log failed');
  });

  it('report when they fail and when they pass again', async () => {
    const clock = manualClock();
    const { promise, resolve } = deferred();
    const health = createHealth({ clock, observe: () => promise });
    const changes: HealthChange[] = [];
    health.onChange((change) => changes.push(change));
    await health.report('livez');
    void health.observe({ type: 'error', error: 1, where: 'elsewhere' });
    await clock.advance(120_000);
    await health.report('livez');
    resolve();
    await settle();
    await health.report('livez');
    expect(changes).toStrictEqual([
      { check: 'log', status: 'failed', reason: 'logging blocked', previous: 'ok' },
      { check: 'log', status: 'ok', previous: 'failed' },
    ]);
  });
});

describe('a member of a report or a change', () => {
  it('is absent when its value is not known', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ clock: manualClock(), observe: (one) => void seen.push(one) });
    const changes: HealthChange[] = [];
    health.onChange((change) => changes.push(change));
    let up = false;
    health.add({ name: 'a', check: () => up });
    const { checks, unmatchedExcludes } = await health.report('readyz');
    up = true;
    await health.report('readyz');
    health.startShutdown();
    expect(unmatchedExcludes).toStrictEqual([]);
    expect(checks[0]).toStrictEqual({ name: 'ping', status: 'ok', since: '2026-01-01T00:00:00.000Z' });
    expect(changes).toStrictEqual([
      { check: 'a', status: 'failed', reason: 'failed without a reason' },
      { check: 'a', status: 'ok', previous: 'failed' },
      { check: 'shutdown', status: 'failed', reason: 'process is shutting down', previous: 'ok' },
    ]);
    expect(seen.filter(({ type }) => type === 'health.changed')[1]).toStrictEqual({
      type: 'health.changed',
      check: 'a',
      status: 'ok',
    });
    const fresh = createHealth({ clock: manualClock() });
    fresh.onChange((change) => changes.push(change));
    fresh.startShutdown();
    expect(changes[3]).toStrictEqual({ check: 'shutdown', status: 'failed', reason: 'process is shutting down' });
  });
});
