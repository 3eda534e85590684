import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { CheckContext, CheckReport, CheckResult, HealthCheck } from '../../../src/health/contract.js';
import { createHealth } from '../../../src/health/create-health.js';
import type { HealthOptions } from '../../../src/health/options.js';
import { deferred, get } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

const throwing = (value: unknown) => (): never => {
  throw value;
};
const never = (): Promise<never> => new Promise(() => undefined);

function setup(options: HealthOptions = {}) {
  const clock = manualClock();
  const health = createHealth({ clock, ...options });
  const find = async (name: string): Promise<CheckReport | undefined> =>
    (await health.report('readyz')).checks.find((one) => one.name === name);
  const add = (more: Partial<HealthCheck> & Pick<HealthCheck, 'check'>) => health.add({ name: 'it', ...more });
  return { clock, health, add, it: () => find('it') };
}

describe('the result of a check', () => {
  it.each<[string, () => CheckResult | Promise<void>]>([
    ['nothing', () => undefined],
    ['true', () => true],
    ['{ ok: true }', () => ({ ok: true })],
    ['a promise of nothing', () => Promise.resolve()],
  ])('is a pass for %s', async (_name, check) => {
    const { add, it: verdict } = setup();
    add({ check });
    expect(await verdict()).toMatchObject({ status: 'ok' });
  });

  it('is that of a method, which is called with its object', async () => {
    class QueueCheck implements HealthCheck {
      readonly #waiting = 3;
      readonly name = 'it';
      check(): CheckResult {
        return { ok: false, reason: `${this.#waiting} messages wait` };
      }
    }
    const { health, it: verdict } = setup();
    health.add(new QueueCheck());
    expect(await verdict()).toMatchObject({ status: 'failed', reason: '3 messages wait' });
  });

  it.each<[string, () => unknown, string | RegExp]>([
    ['false', () => false, 'failed without a reason'],
    ['an Error', () => new Error('why'), 'why'],
    ['an Error without message', () => new TypeError(''), 'TypeError'],
    ['{ ok: false, reason }', () => ({ ok: false, reason: 'why' }), 'why'],
    ['{ ok: false }', () => ({ ok: false }), 'failed without a reason'],
    ['{ ok: 1 }', () => ({ ok: 1 }), /^the check returned a value of type object/],
    ['a string', () => 'PONG', /^the check returned a value of type string/],
    ['a promise of rows', () => Promise.resolve([]), /^the check returned a value of type array/],
    ['null', () => null, /^the check returned null/],
    ['a hostile object', () => new Proxy({}, { has: () => { throw new Error('x'); } }), 'the check returned something unreadable'], // prettier-ignore
    ['a thenable that throws', () => ({ then: () => { throw new Error('then'); } }), 'then'], // prettier-ignore
    ['throwing a string', throwing('plain'), 'plain'],
    ['throwing undefined', throwing(undefined), 'failed without a reason'],
    ['throwing an object without prototype', throwing(Object.create(null)), 'failed with something unreadable'],
    ['rejecting with a number', () => Promise.reject(42), '42'], // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors
  ])('is a failure for %s', async (_name, check, reason) => {
    const { health, add, it: verdict } = setup();
    add({ check: check as () => CheckResult });
    expect(await verdict()).toMatchObject({
      status: 'failed',
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });
    expect((await get(health, '/readyz')).status).toBe(500);
  });

  it('is degraded for a failure with critical: false, and failed otherwise', async () => {
    let critical: boolean | undefined = false;
    const { health, add, it: verdict } = setup();
    add({ check: () => ({ ok: false, reason: 'half of it is away', ...(critical !== undefined && { critical }) }) });
    expect(await verdict()).toMatchObject({ status: 'degraded', reason: 'half of it is away' });
    expect((await get(health, '/readyz')).status).toBe(200);
    for (critical of [true, undefined]) expect(await verdict()).toMatchObject({ status: 'failed' });
  });

  it('is always a report, whatever is thrown or returned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true }), async (value) => {
        const { health, add } = setup();
        add({ check: () => value as CheckResult });
        health.add({
          name: 'thrower',
          check: () => {
            throw value;
          },
        });
        const { status } = await health.report('readyz');
        expect(status).toBe('failed');
      }),
      { numRuns: 100 },
    );
  });

  it('has a reason of limited length', async () => {
    const { add, it: verdict } = setup();
    add({ check: () => new Error('x'.repeat(1_000_000)) });
    expect((await verdict())?.reason).toHaveLength(4_097);
  });
});

describe('a check that hangs', () => {
  it('fails after its timeout, with its signal aborted for a constant reason', async () => {
    const { clock, health, add } = setup();
    const reasons: unknown[] = [];
    add({ check: ({ signal }) => (signal.addEventListener('abort', () => reasons.push(signal.reason)), never()) });
    const response = get(health, '/readyz');
    await clock.advance(1_999);
    expect(reasons).toEqual([]);
    await clock.advance(1);
    expect((await response).text).toContain('[-]it failed: reason withheld\n');
    expect(reasons).toMatchObject([{ name: 'TimeoutError' }]);
    const again = setup();
    again.add({
      check: ({ signal }) => (signal.addEventListener('abort', () => reasons.push(signal.reason)), never()),
    });
    void again.health.report('readyz');
    await again.clock.advance(2_000);
    expect(reasons[1]).toBe(reasons[0]);
  });

  it('is not run again while the old run has not ended, and fails immediately meanwhile', async () => {
    const { clock, add, it: verdict } = setup();
    const { promise, resolve } = deferred();
    let runs = 0;
    add({ check: () => (++runs === 1 ? promise : undefined), timeoutMs: 100 });
    const first = verdict();
    await clock.advance(100);
    expect(await first).toMatchObject({ status: 'failed', reason: 'timed out after 100 ms' });
    await clock.advance(900);
    expect(await verdict()).toMatchObject({
      status: 'failed',
      reason: 'timed out: the run that began 1000 ms ago has still not ended',
    });
    expect(runs).toBe(1);
    resolve();
    await settle();
    expect(await verdict()).toMatchObject({ status: 'ok' });
    expect(runs).toBe(2);
  });

  it('delays neither a probe beyond its own timeout nor any other check, even when every permit is taken', async () => {
    const { clock, health } = setup({ concurrency: 2, timeoutMs: 1_000 });
    for (let n = 0; n < 10; n++) health.add({ name: `hang-${n}`, check: never });
    health.add({ name: 'fine', check: () => Promise.resolve() });
    const report = health.report('readyz');
    await clock.advance(1_000);
    const { checks } = await report;
    expect(checks.filter(({ status }) => status === 'failed')).toHaveLength(10);
    expect(checks.find(({ name }) => name === 'fine')).toMatchObject({ status: 'ok' });
    expect(clock.pending()).toBe(0);
  });

  it('sees an aborted signal when it reads it late', async () => {
    const { clock, add, it: verdict } = setup({ timeoutMs: 10 });
    let context: CheckContext | undefined;
    add({ check: (given) => ((context = given), never()) });
    const asked = verdict();
    await clock.advance(10);
    await asked;
    expect(context?.signal.aborted).toBe(true);
  });

  it('gets its response earlier with ?timeout=, with 504', async () => {
    const { clock, health, add } = setup();
    add({ check: never });
    const response = get(health, '/readyz?timeout=50ms');
    await clock.advance(50);
    expect(await response).toEqual({
      status: 504,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private' },
      text: '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
    });
  });
});

describe('a run of a check', () => {
  it('is shared by every probe in the meantime', async () => {
    const { health, add } = setup();
    const { promise, resolve } = deferred();
    let runs = 0;
    add({ check: () => (runs++, promise), endpoints: ['readyz', 'healthz', 'livez'] });
    const responses = ['/readyz', '/healthz?verbose', '/livez/it', '/readyz/it'].map((url) => get(health, url));
    resolve();
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(runs).toBe(1);
    await health.report('readyz');
    expect(runs).toBe(2);
  });

  it('is concurrent with others, limited in number, in order', async () => {
    const { health } = setup({ concurrency: 3 });
    const ends = Array.from({ length: 7 }, () => deferred());
    const started: number[] = [];
    ends.forEach(({ promise }, n) => health.add({ name: `c${n}`, check: () => (started.push(n), promise) }));
    const report = health.report('readyz');
    expect(started).toEqual([0, 1, 2]);
    ends[1]?.resolve();
    await settle();
    expect(started).toEqual([0, 1, 2, 3]);
    for (const { resolve } of ends) {
      resolve();
      await settle();
    }
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect((await report).status).toBe('ok');
    expect((await report).checks.map(({ name }) => name)).toEqual([
      'ping',
      'log',
      'c0',
      'c1',
      'c2',
      'c3',
      'c4',
      'c5',
      'c6',
      'shutdown',
    ]);
  });

  it('does not exhaust the stack with ten thousand synchronous checks behind one that waits', async () => {
    const { health } = setup({ concurrency: 1 });
    const { promise, resolve } = deferred();
    health.add({ name: 'first', check: () => promise });
    for (let n = 0; n < 10_000; n++) health.add({ name: `n${n}`, check: () => true });
    const report = health.report('readyz');
    resolve();
    expect((await report).status).toBe('ok');
  }, 30_000);

  it('fails instead of recursing when it requests its own report synchronously', async () => {
    const { health, add, it: verdict } = setup();
    let inner: Promise<unknown> | undefined;
    add({ check: () => void (inner ??= health.report('readyz')) });
    expect(await verdict()).toMatchObject({ status: 'ok' });
    expect(await inner).toMatchObject({ status: 'failed' });
  });

  it('is reused for cacheMs, passing or failing', async () => {
    const { clock, add, it: verdict } = setup();
    const results = [false, true];
    let runs = 0;
    add({ check: () => results[runs++] ?? true, cacheMs: 1_000 });
    expect((await verdict())?.status).toBe('failed');
    await clock.advance(999);
    expect((await verdict())?.status).toBe('failed');
    expect(runs).toBe(1);
    await clock.advance(1);
    expect((await verdict())?.status).toBe('ok');
    expect(runs).toBe(2);
  });

  it('is in the background from the start with periodMs, and probes only read', async () => {
    const { clock, health, add, it: verdict } = setup();
    let runs = 0;
    add({ check: () => (runs++, Promise.resolve()), periodMs: 5_000 });
    expect(await verdict()).toMatchObject({ status: 'failed', reason: 'has not run yet' });
    await settle();
    expect(await verdict()).toMatchObject({ status: 'ok' });
    expect(health.handle({ method: 'GET', url: '/readyz' })).not.toBeInstanceOf(Promise);
    expect(runs).toBe(1);
    await clock.advance(15_000);
    expect(runs).toBe(4);
    health.close();
    await clock.advance(60_000);
    expect(runs).toBe(4);
    expect(clock.pending()).toBe(0);
  });

  it('fails in the background when it hangs, and starts again once it ended', async () => {
    const { clock, add, it: verdict } = setup();
    const first = deferred();
    let runs = 0;
    add({ check: () => (runs++ === 1 ? first.promise : undefined), periodMs: 1_000, timeoutMs: 100 });
    await clock.advance(0);
    expect((await verdict())?.status).toBe('ok');
    await clock.advance(1_100);
    expect((await verdict())?.reason).toBe('timed out after 100 ms');
    await clock.advance(5_000);
    expect(runs).toBe(2);
    first.resolve();
    await clock.advance(1_000);
    expect((await verdict())?.status).toBe('ok');
  });
});

describe('a degraded check', () => {
  it('leaves the status code at 200', async () => {
    const { health, add } = setup();
    add({ check: () => new Error('why'), critical: false });
    expect((await get(health, '/readyz')).text).toBe('ok');
    expect((await get(health, '/readyz?verbose')).text).toContain('\n[+]it ok (degraded: reason withheld)\n');
    expect(await get(health, '/readyz/it')).toMatchObject({ status: 200, text: 'ok\ndegraded: reason withheld\n' });
    expect(await health.report('readyz')).toMatchObject({ status: 'degraded' });
  });

  it('is outweighed by a failed one', async () => {
    const { health, add } = setup();
    add({ check: () => false });
    health.add({ name: 'minor', check: () => false, critical: false });
    expect(await health.report('readyz')).toMatchObject({ status: 'failed' });
  });
});

describe('thresholds', () => {
  const play = async (results: string, more: Partial<HealthCheck>) => {
    const { add, it: verdict } = setup();
    let run = 0;
    add({ check: () => results[run++] === '+', ...more });
    let seen = '';
    for (let n = 0; n < results.length; n++) seen += (await verdict())?.status === 'ok' ? '+' : '-';
    return seen;
  };

  it.each([
    ['--+-', '--+-', {}],
    ['-+', '-+', { failureThreshold: 3 }],
    ['+--+---+', '++++++-+', { failureThreshold: 3 }],
    ['-++', '--+', { successThreshold: 2 }],
    ['+++-+++', '--+---+', { successThreshold: 3 }],
    ['++--+---++', '-++++++--+', { failureThreshold: 3, successThreshold: 2 }],
  ])('turn the results %s into %s with %j', async (results, expected, more) => {
    expect(await play(results, more)).toBe(expected);
  });

  it('fail at once at the start, until the check has succeeded', async () => {
    expect(await play('---', { failureThreshold: 5 })).toBe('---');
  });

  it('report how far the recovery is', async () => {
    const { add, it: verdict } = setup();
    let up = false;
    add({ check: () => (up ? true : new Error('no route')), successThreshold: 3 });
    await verdict();
    up = true;
    expect((await verdict())?.reason).toBe('no route; since then passed 1 of 3 times');
  });

  it('count a hanging run as failing each time it is probed', async () => {
    const { clock, add, it: verdict } = setup({ timeoutMs: 10 });
    let runs = 0;
    add({ check: () => (runs++ === 0 ? undefined : never()), failureThreshold: 3 });
    expect((await verdict())?.status).toBe('ok');
    const second = verdict();
    await clock.advance(10);
    expect((await second)?.status).toBe('ok');
    expect((await verdict())?.status).toBe('ok');
    expect((await verdict())?.status).toBe('failed');
  });
});

it('a report shows when the status changed and how long the run took', async () => {
  const { clock, add, it: verdict } = setup();
  const { promise, resolve } = deferred();
  add({ check: () => promise });
  const asked = verdict();
  await clock.advance(40);
  resolve();
  expect(await asked).toEqual({ name: 'it', status: 'ok', durationMs: 40, since: '2026-01-01T00:00:00.040Z' });
});
