import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../../../src/health/create-health.js';
import type { Observation } from '../../../src/observe/observation.js';
import { get } from './asking.js';

const TEXT = 'text/plain; charset=utf-8';
const ROOT_HEADERS = {
  'content-type': TEXT,
  'cache-control': 'no-cache, private',
  'x-content-type-options': 'nosniff',
};

describe('the three endpoints', () => {
  it.each(['/healthz', '/livez', '/readyz'])('respond with ok and exactly these headers: %s', async (url) => {
    expect(await get(createHealth(), url)).toEqual({ status: 200, headers: ROOT_HEADERS, text: 'ok' });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'BREW'])('respond to %s like GET', async (method) => {
    expect(await get(createHealth(), '/livez', { method })).toEqual({ status: 200, headers: ROOT_HEADERS, text: 'ok' });
  });

  it('respond to HEAD with the length of GET', async () => {
    const head = await get(createHealth(), '/readyz?verbose', { method: 'HEAD' });
    const { text } = await get(createHealth(), '/readyz?verbose');
    expect(head).toEqual({
      status: 200,
      headers: { ...ROOT_HEADERS, 'content-length': String(text?.length) },
      text: null,
    });
  });

  it.each(['application/json, */*', 'text/html', 'application/yaml'])('ignore Accept: %s', async (accept) => {
    expect((await get(createHealth(), '/livez', { headers: { accept } })).text).toBe('ok');
  });

  it('respond synchronously, with one frozen object for all, when no check is asynchronous', () => {
    const health = createHealth();
    health.add({ name: 'flag', check: () => true });
    const first = health.handle({ method: 'GET', url: '/readyz' });
    expect(first).toBe(health.handle({ method: 'GET', url: '/livez' }));
    expect(first).not.toBeInstanceOf(Promise);
    expect(Object.isFrozen(first)).toBe(true);
  });

  it.each(['/', '/version', '/livezz', '/Livez', '/health', '', '*', 'livez', '//livez', '/api/livez', '/%6'])(
    'do not claim %j',
    (url) => {
      expect(createHealth().handle({ method: 'GET', url })).toBeUndefined();
    },
  );

  it('accept the absolute form of a request target', async () => {
    expect((await get(createHealth(), 'http://example.com/livez?verbose')).text).toContain('[+]ping ok\n');
  });

  it('respond with 400 to a path below a root that cannot be decoded', async () => {
    expect(await get(createHealth(), '/livez/%zz')).toMatchObject({ status: 400, text: '400 Bad Request\n' });
  });
});

describe('verbose', () => {
  it('lists ping and log, then what was added in that order, and shutdown last on readyz only', async () => {
    const health = createHealth();
    health.add({ name: 'slow', check: () => new Promise((resolve) => setImmediate(() => resolve(undefined))) });
    health.add({ name: 'quick', check: () => undefined, endpoints: ['healthz', 'livez', 'readyz'] });
    expect((await get(health, '/readyz?verbose')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]slow ok\n[+]quick ok\n[+]shutdown ok\nhealthz check passed\n',
    );
    expect((await get(health, '/healthz?verbose')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]slow ok\n[+]quick ok\nhealthz check passed\n',
    );
    expect((await get(health, '/livez?verbose')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]quick ok\nhealthz check passed\n',
    );
  });

  it('prints the name of the endpoint in the last line if configured', async () => {
    const health = createHealth({ verdictLine: 'root' });
    for (const root of ['healthz', 'livez', 'readyz']) {
      expect((await get(health, `/${root}?verbose`)).text).toMatch(new RegExp(`\n${root} check passed\n$`));
    }
  });

  it.each(['verbose=false', 'verbose=', 'verbose=0', 'a=b&verbose'])('is a flag: ?%s is verbose', async (query) => {
    expect((await get(createHealth(), `/livez?${query}`)).text).toContain('[+]ping ok\n');
  });

  it.each(['Verbose', 'pretty=true', 'format=text'])('is off for ?%s', async (query) => {
    expect((await get(createHealth(), `/livez?${query}`)).text).toBe('ok');
  });

  it('is always on when a check fails; the reason is only reported to the hook', async () => {
    const seen: Observation[] = [];
    const health = createHealth({ observe: (observation) => void seen.push(observation) });
    const error = new Error('password s3cret refused');
    health.add({ name: 'database', check: () => Promise.reject(error) });
    expect(await get(health, '/readyz')).toEqual({
      status: 500,
      headers: ROOT_HEADERS,
      text: '[+]ping ok\n[+]log ok\n[-]database failed: reason withheld\n[+]shutdown ok\nreadyz check failed\n',
    });
    expect(seen).toContainEqual({
      type: 'health.failed',
      root: 'readyz',
      failures: [{ name: 'database', reason: 'password s3cret refused', error }],
    });
    expect((await get(health, '/healthz')).text).toMatch(/\nhealthz check failed\n$/);
    expect((await get(health, '/livez')).text).toBe('ok');
  });
});

describe('exclude', () => {
  const withGroups = () => {
    const health = createHealth();
    health.add({ name: 'etcd', check: () => false, group: 'etcd' });
    health.add({ name: 'etcd-override-0', check: () => false, group: 'etcd' });
    return health;
  };

  it('does not run checks excluded by name', async () => {
    let runs = 0;
    const health = createHealth();
    health.add({ name: 'a', check: () => void runs++ });
    expect((await get(health, '/readyz?verbose&exclude=a&exclude=log')).text).toBe(
      '[+]ping ok\n[+]log excluded: ok\n[+]a excluded: ok\n[+]shutdown ok\nhealthz check passed\n',
    );
    expect(runs).toBe(0);
  });

  it('excludes by name first and by group next, and one value can do both', async () => {
    expect((await get(withGroups(), '/healthz?verbose&exclude=etcd')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-override-0 excluded with etcd: ok\nhealthz check passed\n',
    );
    expect((await get(withGroups(), '/healthz?exclude=etcd')).text).toBe('ok');
    expect((await get(withGroups(), '/healthz?exclude=etcd-override-0')).status).toBe(500);
  });

  it.each([
    ['exclude=b&exclude=a&exclude=ping', '"a","b"'],
    ['exclude=nope&exclude=also%22x', '"also\\"x","nope"'],
    ['exclude=', '""'],
    ['exclude=ping,log', '"ping,log"'],
    ['exclude=PING', '"PING"'],
    ['exclude=%20ping', '" ping"'],
    ['exclude=a%0Ab', '"a\\nb"'],
    ['exclude=%C3%A9', '"é"'],
    ['exclude=a+b', '"a b"'],
    ['exclude=%00%7F', '"\\x00\\x7f"'],
    ['exclude=%E2%80%8B', '"\\u200b"'],
    ['exclude=x&exclude=x', '"x"'],
    ['exclude=__proto__', '"__proto__"'],
    ['exclude=%F0%9F%98%80&exclude=%EF%BF%BD', '"\ufffd","😀"'],
  ])('warns of values that matched nothing: %s', async (query, names) => {
    const { status, text } = await get(createHealth(), `/livez?verbose&${query}`);
    expect(status).toBe(200);
    expect(text).toContain(
      `\nwarn: some health checks cannot be excluded: no matches for ${names}\nhealthz check passed\n`,
    );
  });

  it('does not warn when all checks pass and verbose is off', async () => {
    expect((await get(createHealth(), '/livez?exclude=nope')).text).toBe('ok');
  });

  it('warns in a failure as well', async () => {
    const { text } = await get(withGroups(), '/healthz?exclude=nope');
    expect(text).toMatch(/\nwarn: some .* "nope"\nhealthz check failed\n$/);
  });
});

describe('format=json', () => {
  it('returns the report without reasons, with the status code of the text', async () => {
    const health = createHealth();
    health.add({ name: 'database', check: () => ({ ok: false, reason: 's3cret' }) });
    health.add({ name: 'mail', check: () => 'queue full' as never, critical: false });
    const { status, headers, text } = await get(health, '/readyz?format=json&exclude=log&exclude=nope');
    expect(status).toBe(500);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    expect(text).not.toContain('s3cret');
    expect(JSON.parse(text ?? '')).toMatchObject({
      root: 'readyz',
      status: 'failed',
      checks: [
        { name: 'ping', status: 'ok' },
        { name: 'log', status: 'excluded' },
        { name: 'database', status: 'failed' },
        { name: 'mail', status: 'degraded' },
        { name: 'shutdown', status: 'ok' },
      ],
      unmatchedExcludes: ['nope'],
    });
  });
});

describe('the parameter timeout', () => {
  it.each([
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1s-', 'time: unknown unit "s-" in duration "1s-"'],
    ['99999999999h', 'time: invalid duration "99999999999h"'],
  ])('is a 400 for ?timeout=%s', async (value, message) => {
    const { status, headers, text } = await get(createHealth(), `/livez?timeout=${value}`);
    expect(status).toBe(400);
    expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    expect(JSON.parse(text ?? '')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `invalid timeout specified in the request URL - ${message}`,
      reason: 'BadRequest',
      code: 400,
    });
  });

  it.each(['5s', '1h30m', '-5s', '0', '0.5s', '.5s', '', '100us', '1m1.5s'])(
    'is accepted for ?timeout=%s',
    async (value) => {
      expect((await get(createHealth(), `/livez?timeout=${value}`)).text).toBe('ok');
    },
  );
});

it('health requests never throw, whatever is sent', async () => {
  const health = createHealth();
  health.add({ name: 'a/b', check: () => false, group: 'g' });
  const piece = fc.oneof(
    fc.constantFrom(
      '/livez',
      '/readyz',
      '/healthz',
      '/',
      '%2F',
      '%',
      '?',
      '&',
      'verbose',
      'exclude=',
      'timeout=',
      '=',
      'a/b',
      '#',
    ),
    fc.string({ unit: 'binary' }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.string(), async (pieces, method) => {
      const response = await health.handle({ method, url: pieces.join('') });
      if (response !== undefined) expect([200, 400, 404, 500]).toContain(response.status);
    }),
    { numRuns: 300 },
  );
});
