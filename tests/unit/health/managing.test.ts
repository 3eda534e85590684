import { describe, expect, it } from 'vitest';
import type { HealthChange, HealthCheck, HealthReport } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthOptions } from '../../../src/health/options.js';
import type { Observation } from '../../../src/observe/observation.js';
import { deferred, get } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

describe('createHealth', () => {
  it.each<[object, RegExp]>([
    [{ authenticate: () => undefined }, /authenticate and authorize go together/],
    [{ authorize: () => ({ allowed: true }) }, /authenticate and authorize go together/],
    [{ roots: 'authorized' }, /needs authenticate and authorize/],
    [
      { roots: 'closed', concurrency: 0, timeoutMs: NaN },
      /roots must be .*; concurrency must be .*; timeoutMs must be /,
    ],
    [{ timeoutMs: Infinity }, /timeoutMs/],
    [{ livezGracePeriodMs: -1 }, /livezGracePeriodMs/],
    [{ verdictLine: 'readyz' }, /verdictLine/],
    [{ auditIds: 1, observe: 1, clock: {} }, /observe must .*; clock must .*; auditIds must /],
    [{ timeout: 5 }, /there is no option "timeout"/],
  ])('refuses the invalid options %o', (options, message) => {
    expect(() => createHealth(options as HealthOptions)).toThrow(TypeError);
    expect(() => createHealth(options as HealthOptions)).toThrow(message);
  });

  it('returns methods that work detached', async () => {
    const { add, remove, report, handle } = createHealth();
    add({ name: 'x', check: () => true });
    expect((await report('readyz')).checks).toHaveLength(4);
    expect(remove('x')).toBe(true);
    expect(await handle({ method: 'GET', url: '/readyz/x' })).toMatchObject({ status: 404 });
  });

  it('shares no state between two objects', async () => {
    const one = createHealth();
    const other = createHealth();
    one.add({ name: 'x', check: () => false });
    one.startShutdown();
    expect((await other.report('readyz')).checks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'ping ok',
      'log ok',
      'shutdown ok',
    ]);
  });
});

describe('add and remove', () => {
  const check = (): true => true;

  it.each<[unknown, RegExp]>([
    [{ name: '', check }, /name must be/],
    [{ name: 'a b', check }, /name must be/],
    [{ name: 'a\n', check }, /name must be/],
    [{ name: '/a', check }, /name must be/],
    [{ name: 'a//b', check }, /name must be/],
    [{ name: 'a/../b', check }, /name must be/],
    [{ name: '\ud800', check }, /name must be/],
    [{ name: 'x'.repeat(254), check }, /name must be/],
    [{ name: 'a' }, /check must be a function/],
    [{ name: 'a', check, endpoints: [] }, /endpoints must be/],
    [{ name: 'a', check, endpoints: ['startupz'] }, /endpoints must be/],
    [{ name: 'a', check, timeoutMs: 0, periodMs: 0, cacheMs: -1 }, /timeoutMs .*; periodMs .*; cacheMs /],
    [{ name: 'a', check, periodMs: 1, cacheMs: 1 }, /exclude each other/],
    [{ name: 'a', check, failureThreshold: 0, successThreshold: 1.5 }, /failureThreshold .*; successThreshold /],
    [{ name: 'a', check, critical: 'no', startup: 1, group: '' }, /critical .*; group .*; startup /],
    [{ name: 'a', check, timeout: 1 }, /there is no option "timeout"/],
    [{ name: 'ping', check }, /already a check "ping"/],
    [undefined, /must be an object/],
  ])('refuses the invalid definition %o', (definition, message) => {
    expect(() => createHealth().add(definition as HealthCheck)).toThrow(message);
  });

  it('accepts any other name as data', async () => {
    const health = createHealth();
    for (const name of ['__proto__', 'constructor', 'é', '😀', '%2F', 'a?b', '[+]x']) health.add({ name, check });
    expect((await get(health, '/readyz?verbose')).text).toContain('[+]__proto__ ok\n[+]constructor ok\n[+]é ok\n');
    expect((await get(health, '/readyz/__proto__')).text).toBe('ok');
    expect((await get(health, `/readyz/${encodeURIComponent('😀')}`)).text).toBe('ok');
    expect((await get(health, '/readyz/%252F')).text).toBe('ok');
  });

  it('work at run time, also during a probe', async () => {
    const health = createHealth();
    const { promise, resolve } = deferred();
    health.add({ name: 'slow', check: () => promise });
    const response = get(health, '/readyz?verbose');
    expect(health.remove('slow')).toBe(true);
    health.add({ name: 'new', check });
    resolve();
    expect((await response).text).toBe('[+]ping ok\n[+]log ok\n[+]slow ok\n[+]shutdown ok\nhealthz check passed\n');
    expect((await get(health, '/readyz?verbose')).text).toContain('[+]log ok\n[+]new ok\n[+]shutdown ok\n');
  });

  it('return whether a check was removed, report it, and keep built-in checks', () => {
    const seen: Observation[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    expect(health.remove('nope')).toBe(false);
    expect(() => health.remove('ping')).toThrow(TypeError);
    health.add({ name: 'a', check });
    expect(() => health.add({ name: 'a', check })).toThrow('already a check "a"');
    expect(seen).toEqual([]);
    expect(health.remove('a')).toBe(true);
    expect(seen).toEqual([{ type: 'health.removed', check: 'a' }]);
    health.add({ name: 'a', check });
  });

  it('end the runs and reports of a removed background check', async () => {
    const clock = manualClock();
    const health = createHealth({ clock });
    let runs = 0;
    const changes: HealthChange[] = [];
    health.onChange((change) => changes.push(change));
    health.add({ name: 'a', check: () => ++runs < 2, periodMs: 10 });
    await settle();
    health.remove('a');
    await clock.advance(100);
    expect({ runs, changes, timers: clock.pending() }).toEqual({ runs: 1, changes: [], timers: 0 });
  });
});

describe('report', () => {
  it('is the same result without HTTP, with reasons', async () => {
    const health = createHealth();
    health.add({ name: 'a', check: () => new Error('why'), group: 'g' });
    expect(await health.report('readyz')).toMatchObject({
      root: 'readyz',
      status: 'failed',
      checks: [{ name: 'ping' }, { name: 'log' }, { name: 'a', status: 'failed', reason: 'why' }, { name: 'shutdown' }],
    });
    const excluded = await health.report('readyz', { exclude: ['g', 'z', 'b'] });
    expect(excluded.checks[2]).toEqual(expect.objectContaining({ status: 'excluded', excludedBy: 'g' }));
    expect(excluded).toMatchObject({ status: 'ok', unmatchedExcludes: ['b', 'z'] });
    await expect(health.report('startupz' as never)).rejects.toThrow(TypeError);
  });
});

describe('changes', () => {
  it('are reported to listeners and to observe; the first ok is not a change', async () => {
    const seen: Observation[] = [];
    const changes: HealthChange[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    const end = health.onChange((change) => changes.push(change));
    let result: boolean | Error = true;
    health.add({ name: 'a', check: () => result });
    await health.report('readyz');
    expect(changes).toEqual([]);
    const error = new Error('why');
    result = error;
    await health.report('readyz');
    await health.report('readyz');
    result = true;
    await health.report('readyz');
    end();
    result = false;
    await health.report('readyz');
    expect(changes).toEqual([
      { check: 'a', status: 'failed', previous: 'ok', reason: 'why', error },
      { check: 'a', status: 'ok', previous: 'failed' },
    ]);
    expect(seen.filter(({ type }) => type === 'health.changed')).toEqual([
      { type: 'health.changed', check: 'a', status: 'failed', reason: 'why', error },
      { type: 'health.changed', check: 'a', status: 'ok' },
      { type: 'health.changed', check: 'a', status: 'failed', reason: 'failed without a reason' },
    ]);
  });

  it.each([
    ['a synchronous check', (up: boolean) => up],
    ['an asynchronous check', (up: boolean) => Promise.resolve(up)],
  ])('let a listener read the new verdict of %s without another run', async (_which, check) => {
    const health = createHealth();
    let runs = 0;
    const read: Promise<HealthReport>[] = [];
    health.onChange(() => void read.push(health.report('readyz')));
    health.add({ name: 'a', check: () => check(++runs > 1) });
    await health.report('readyz');
    await health.report('readyz');
    const found = (await Promise.all(read)).map(({ checks }) => checks[2]);
    expect(found).toMatchObject([{ status: 'failed', reason: 'failed without a reason' }, { status: 'ok' }]);
    expect(runs).toBe(2);
    await health.report('readyz');
    expect(runs).toBe(3);
  });

  it('continue after a listener and a hook that throw', async () => {
    const health = createHealth({
      observe: () => {
        throw new Error('log is full');
      },
    });
    const changes: HealthChange[] = [];
    health.onChange(() => {
      throw new Error('listener');
    });
    health.onChange((change) => changes.push(change));
    health.add({ name: 'a', check: () => false });
    expect((await get(health, '/readyz')).status).toBe(500);
    expect(changes).toHaveLength(1);
  });
});

describe('log', () => {
  it('fails once a promise of the hook has been pending for two minutes, until it settles', async () => {
    const clock = manualClock();
    const { promise, resolve } = deferred();
    const health = createHealth({ clock, observe: () => promise });
    const { observe } = health;
    void observe({ type: 'error', error: 1, where: 'elsewhere' });
    await clock.advance(119_999);
    expect((await get(health, '/livez')).text).toBe('ok');
    await clock.advance(1);
    expect((await get(health, '/livez')).text).toContain('[-]log failed: reason withheld\n');
    expect((await health.report('healthz')).checks[1]?.reason).toBe('logging blocked');
    resolve();
    await settle();
    expect((await get(health, '/livez')).text).toBe('ok');
  });

  it('ignores a hook that rejects', async () => {
    const health = createHealth({ observe: () => Promise.reject(new Error('x')) });
    health.startShutdown();
    await settle();
    expect((await get(health, '/livez')).text).toBe('ok');
  });
});

describe('post-start hooks', () => {
  it('fail on all endpoints until they are done, in the order they were added', async () => {
    const health = createHealth();
    const hook = health.addPostStartHook('warm-cache');
    health.add({ name: 'after', check: () => true });
    for (const root of ['healthz', 'livez', 'readyz']) expect((await get(health, `/${root}`)).status).toBe(500);
    expect((await health.report('readyz')).checks[2]).toMatchObject({
      name: 'poststarthook/warm-cache',
      reason: 'not finished',
    });
    hook.done();
    hook.failed(new Error('too late'));
    expect((await get(health, '/readyz?verbose')).text).toContain(
      '[+]log ok\n[+]poststarthook/warm-cache ok\n[+]after ok\n',
    );
    expect((await get(health, '/livez/poststarthook/warm-cache')).text).toBe('ok');
  });

  it('need a name', () => {
    const { addPostStartHook } = createHealth();
    expect(() => addPostStartHook(undefined as unknown as string)).toThrow(TypeError);
    expect(() => addPostStartHook('')).toThrow(/health\.add\("poststarthook\/"\): name must be/);
  });

  it('stay failed with the reason when they have failed', async () => {
    const health = createHealth();
    const { failed, done } = health.addPostStartHook('migrate');
    failed('no such table');
    done();
    expect((await health.report('livez')).checks[2]).toMatchObject({ status: 'failed', reason: 'no such table' });
  });

  it('are ignored on livez only, during the grace period', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, livezGracePeriodMs: 10_000 });
    await clock.advance(5_000);
    health.addPostStartHook('a');
    let runs = 0;
    health.add({ name: 'b', check: () => (runs++, false), startup: true, endpoints: ['livez'], group: 'g' });
    await clock.advance(9_999);
    expect((await get(health, '/livez?verbose')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]poststarthook/a ok\n[+]b ok\nhealthz check passed\n',
    );
    expect((await get(health, '/livez/poststarthook/a')).text).toBe('ok');
    expect(runs).toBe(0);
    expect((await get(health, '/readyz')).text).toContain('[-]poststarthook/a failed');
    expect((await get(health, '/healthz')).text).toContain('[-]poststarthook/a failed');
    expect((await get(health, '/livez?verbose&exclude=g')).text).toContain('no matches for "g"');
    await clock.advance(1);
    expect((await get(health, '/livez')).text).toContain('[-]poststarthook/a failed: reason withheld\n[-]b failed');
  });
});

describe('shutdown', () => {
  it('fails readyz at once and does not affect livez and healthz', async () => {
    const changes: HealthChange[] = [];
    const health = createHealth();
    health.onChange((change) => changes.push(change));
    expect(health.isShuttingDown()).toBe(false);
    health.startShutdown();
    health.startShutdown();
    expect(health.isShuttingDown()).toBe(true);
    expect((await get(health, '/readyz')).text).toBe(
      '[+]ping ok\n[+]log ok\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    );
    expect((await get(health, '/livez')).text).toBe('ok');
    expect((await get(health, '/healthz')).text).toBe('ok');
    expect((await health.report('readyz')).checks.at(-1)?.reason).toBe('process is shutting down');
    expect(changes).toEqual([{ check: 'shutdown', status: 'failed', reason: 'process is shutting down' }]);
    expect((await get(health, '/readyz?exclude=shutdown')).text).toBe('ok');
  });
});

describe('close', () => {
  it('aborts current runs and fails added checks; ping still passes', async () => {
    const clock = manualClock();
    const health = createHealth({ clock, concurrency: 1 });
    let signal: AbortSignal | undefined;
    health.add({ name: 'a', check: (context) => ((signal = context.signal), new Promise(() => undefined)) });
    health.add({ name: 'queued', check: () => true });
    health.add({ name: 'often', check: () => true, periodMs: 1_000 });
    const waiting = health.report('readyz');
    await settle();
    health.close();
    health.close();
    expect(signal?.reason).toMatchObject({ name: 'AbortError' });
    expect((await waiting).checks.map(({ status }) => status)).toEqual([
      'ok',
      'ok',
      'failed',
      'failed',
      'failed',
      'ok',
    ]);
    expect(clock.pending()).toBe(0);
    health.add({ name: 'late', check: () => true });
    expect((await health.report('readyz')).checks.find(({ name }) => name === 'late')?.reason).toBe(
      'the health object has been closed',
    );
    expect((await get(health, '/livez')).text).toBe('ok');
  });
});
