import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectionError, isStatusError } from '../../../../src/client.js';
import { systemClock } from '../../../../src/clock/clock.js';
import { scriptedClient, event, failureOf, json, refused, type ScriptedResponse } from '../scripted-client.js';

const GROWING = { retries: 3, firstDelayMs: 1_000, longestDelayMs: 3_000 };
const LATE = { retries: 1, firstDelayMs: 600_000, longestDelayMs: 600_000 };
const refusedConnection = connectionError('refused', false);
const reset = connectionError('reset', true);
const stored = json(200, { ...event('a'), kind: 'Event' });
const busy = refused(429, 'TooManyRequests', { 'retry-after': '1' });
const away = refused(503, 'ServiceUnavailable', { 'retry-after': '1' });

describe('a read', () => {
  it.each<[string, ScriptedResponse]>([
    ['a refused connection', refusedConnection],
    ['a reset connection', reset],
    ['429', refused(429, 'TooManyRequests')],
    ['503', refused(503, 'ServiceUnavailable')],
    ['502 of a proxy', { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad Gateway</h1>' }],
    ['504', refused(504, 'Timeout')],
    ['500 with Retry-After', refused(500, 'InternalError', { 'retry-after': '1' })],
  ])('is repeated after %s', async (_, failure) => {
    const { client, asked } = scriptedClient([failure, stored]);
    expect((await client.get({ name: 'a' })).metadata.name).toBe('a');
    expect(asked).toHaveLength(2);
  });

  it.each([404, 403, 401, 400, 500, 501, 410, 307])('is not repeated after %s', async (code) => {
    const { client, asked } = scriptedClient([refused(code, 'Other')]);
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'StatusError', code });
    expect(asked).toHaveLength(1);
  });

  it('is repeated at growing intervals, retries times', async () => {
    const { client, asked } = scriptedClient(
      Array.from({ length: 4 }, () => reset),
      {
        retry: GROWING,
      },
    );
    expect(await failureOf(client.get({ name: 'a' }))).toBe(reset);
    const waits = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at as number));
    expect(waits).toHaveLength(3);
    for (const [index, longest] of [1_000, 2_000, 3_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(waits[index]).toBeLessThanOrEqual(longest + 100);
    }
  });

  it.each([
    [undefined, 0, [100, 200, 400, 800, 1_600]],
    [8, 0, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]],
    [8, 1, [50, 100, 200, 400, 800, 1_600, 2_500, 2_500]],
  ])(
    'is repeated five times by default, after 0.1 to 5 s of which half is random (retries: %s, random: %d)',
    async (retries, random, intervals) => {
      const retry = { retries };
      const randomly = vi.spyOn(Math, 'random').mockReturnValue(random);
      onTestFinished(() => randomly.mockRestore());
      const { client, asked } = scriptedClient(
        Array.from({ length: 10 }, () => reset),
        { retry },
      );
      expect(await failureOf(client.get({ name: 'a' }))).toBe(reset);
      const waits = asked.slice(1).map(({ at }, index) => at - (asked[index]?.at as number));
      expect(waits).toHaveLength(intervals.length);
      for (const [index, longest] of intervals.entries()) {
        expect(waits[index]).toBeGreaterThanOrEqual(longest);
        expect(waits[index]).toBeLessThanOrEqual(longest + 100);
      }
    },
  );

  it('waits as long as the server requests, in seconds or until a date', async () => {
    const date = { date: 'Mon, 01 Jan 2024 00:00:00 GMT', 'retry-after': 'Mon, 01 Jan 2024 00:00:07 GMT' };
    const { client, asked } = scriptedClient([
      refused(503, 'ServiceUnavailable', { 'retry-after': '3' }),
      refused(429, 'TooManyRequests', date),
      stored,
    ]);
    await client.get({ name: 'a' });
    expect((asked[1]?.at as number) - (asked[0]?.at as number)).toBeGreaterThanOrEqual(3_000);
    expect((asked[2]?.at as number) - (asked[1]?.at as number)).toBeGreaterThanOrEqual(7_000);
  });

  it('fails at once, with the time to wait, where that would be too long', async () => {
    const { client, asked, clock } = scriptedClient([refused(503, 'ServiceUnavailable', { 'retry-after': '3600' })]);
    const before = clock.monotonic();
    const error = await failureOf(client.get({ name: 'a' }, { timeoutMs: 10_000 }));
    expect(error).toMatchObject({ code: 503, retryAfterMs: 3_600_000 });
    expect(clock.monotonic() - before).toBeLessThan(5_000);
    expect(asked).toHaveLength(1);
  });

  it('ends with timeoutMs, repetitions included, and names the failure of the attempt before', async () => {
    const never = () => new Promise<never>(() => undefined);
    const late = { name: 'ConnectionError', sent: true, message: 'there was no response within 2000 ms' };
    const { client } = scriptedClient([never], { timeoutMs: 2_000 });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject(late);
    // Such as of a server whose network drops everything: each attempt at a connection takes ten seconds.
    const { client: again } = scriptedClient([refusedConnection, never], { timeoutMs: 2_000 });
    expect(await failureOf(again.get({ name: 'a' }))).toMatchObject({
      ...late,
      message: `${late.message}; the attempt before failed: refused`,
      cause: refusedConnection,
    });
  });

  it('ends with its signal, also while it waits for the next attempt', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const { client, asked } = scriptedClient(
      [
        (request) => {
          setTimeout(() => controller.abort(reason), 5);
          void request;
          throw reset;
        },
      ],
      { retry: LATE, timeoutMs: 3_600_000 },
    );
    expect(await failureOf(client.get({ name: 'a' }, { signal: controller.signal }))).toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it('keeps the process alive in a pause, also of the clock of another build of the package', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval');
    const cleared = vi.spyOn(globalThis, 'clearInterval');
    try {
      const soon = refused(503, 'ServiceUnavailable', { 'retry-after': '0' });
      const retry = { retries: 1, firstDelayMs: 1, longestDelayMs: 1 };
      await scriptedClient([soon, stored], { retry, clock: { ...systemClock } }).client.get({ name: 'a' });
      expect([timers.mock.calls.length, cleared.mock.calls.length]).toEqual([1, 1]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('is not sent at all when its signal is aborted already', async () => {
    const reason = new Error('enough');
    const { client, asked } = scriptedClient([]);
    expect(await failureOf(client.get({ name: 'a' }, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(asked).toEqual([]);
  });
});

describe('a write', () => {
  const writes = {
    update: ({ client }: ReturnType<typeof scriptedClient>) => client.update(event('a')),
    patch: ({ client }: ReturnType<typeof scriptedClient>) => client.patch({ name: 'a' }, { type: 'merge', patch: {} }),
    delete: ({ client }: ReturnType<typeof scriptedClient>) => client.delete({ name: 'a' }),
    deleteCollection: ({ client }: ReturnType<typeof scriptedClient>) =>
      client.deleteCollection({ fieldSelector: 'a=b' }),
    'create with generateName': ({ client }: ReturnType<typeof scriptedClient>) =>
      client.create(event('', { metadata: { generateName: 'a-' } })),
  };

  it.each(Object.entries(writes))('(%s) is repeated where it was certainly not carried out', async (_, write) => {
    const given = scriptedClient([refusedConnection, busy, away, stored]);
    await write(given);
    expect(given.asked).toHaveLength(4);
  });

  it.each(Object.entries(writes))('(%s) is not repeated where that is not known', async (_, write) => {
    for (const failure of [
      reset,
      refused(504, 'Timeout'),
      refused(503, 'ServiceUnavailable'),
      refused(429, 'TooManyRequests'),
    ]) {
      const given = scriptedClient([failure]);
      const error = await failureOf(Promise.resolve(write(given)));
      expect(error === reset || isStatusError(error)).toBe(true);
      expect(given.asked).toHaveLength(1);
    }
  });

  it('that is a dry run is repeated like a read', async () => {
    const { client, asked } = scriptedClient([reset, stored, reset, stored]);
    await client.update(event('a'), { dryRun: true });
    await client.create(event('a'), { dryRun: true });
    expect(asked).toHaveLength(4);
    expect(asked[0]?.line).toBe(
      'PUT /apis/events.example.com/v1/namespaces/default/events/a?dryRun=All&fieldManager=kube-vitals',
    );
  });
});
