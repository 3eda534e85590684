import { describe, expect, it } from 'vitest';
import { allowAnonymous, allowEverybody, createHealth } from '../../../src/index.js';
import type { Observation } from '../../../src/observe/observation.js';
import { consoleObserver, isProbe, loggerObserver } from '../../../src/observers.js';

const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
const request = (status: number): Observation => ({
  type: 'request',
  verb: 'get',
  status,
  durationMs: 1.5,
  auditId: 'a',
  caller: 'ops',
  url: '/apis/events.example.com/v1/events?x=\n\u001b[31mfake',
  group: 'events.example.com',
  version: 'v1',
  resource: 'events',
  namespace: '',
  scope: 'cluster',
  dryRun: '',
});
const OBSERVATIONS: readonly Observation[] = [
  { type: 'error', error, where: 'expiry of memory', count: 1 },
  { type: 'recovered', error, where: 'expiry of memory', count: 3, durationMs: 2000.4 },
  { type: 'health.changed', check: 'database', status: 'failed', reason: 'away', error },
  { type: 'health.changed', check: 'mail', status: 'degraded', reason: 'full' },
  { type: 'health.changed', check: 'database', status: 'ok' },
  { type: 'health.failed', root: 'readyz', failures: [{ name: 'database', reason: 'away' }] },
  { type: 'store', store: 'memory', operation: 'list', outcome: 'ok', durationMs: 1 },
  request(200),
  request(500),
];

/** A logger that keeps what it is given. */
function recorder() {
  const lines: unknown[][] = [];
  const write =
    (level: string) =>
    (...data: unknown[]): void =>
      void lines.push([level, ...data]);
  return { lines, info: write('info'), warn: write('warn'), error: write('error') };
}

describe('loggerObserver', () => {
  it('logs what a watch cache does, and warns where it is stale or full', () => {
    const logger = recorder();
    const observe = loggerObserver(logger);
    const size = { store: 'sqlite', events: 2, bytes: 900 };
    void observe({ type: 'cache.changed', state: 'ready', ...size });
    void observe({ type: 'cache.changed', state: 'stale', ...size, error });
    void observe({ type: 'cache.changed', state: 'full', ...size });
    expect(logger.lines).toEqual([
      ['info', { ...size, state: 'ready' }, 'the watch cache of sqlite is ready'],
      [
        'warn',
        { ...size, state: 'stale', err: error },
        'the watch cache of sqlite is stale: fetch failed: connect ECONNREFUSED',
      ],
      ['warn', { ...size, state: 'full' }, 'the watch cache of sqlite is full'],
    ]);
  });

  it('warns about events that a recorder dropped, with the last of them', () => {
    const logger = recorder();
    const fields = { recorder: 'example.com/shop', reason: 'refused', count: 2 } as const;
    for (const event of [{ metadata: { name: 'a' } }, undefined]) {
      void loggerObserver(logger)({ type: 'recorder.dropped', ...fields, error, event });
    }
    const text = 'the recorder example.com/shop dropped 2 events (refused): fetch failed: connect ECONNREFUSED';
    expect(logger.lines).toStrictEqual([
      ['warn', { ...fields, err: error, event: { metadata: { name: 'a' } } }, text],
      ['warn', { ...fields, err: error }, text],
    ]);
  });

  it('writes one failure and one event in the singular', () => {
    const logger = recorder();
    const observe = loggerObserver(logger);
    void observe({ type: 'recovered', where: 'expiry of memory', error, count: 1, durationMs: 5 });
    void observe({ type: 'recorder.dropped', recorder: 'example.com/shop', reason: 'closed', count: 1, error });
    const texts = logger.lines.map(([, , text]) => text);
    expect(texts[0]).toBe('expiry of memory works again after 1 failure in 5 ms');
    expect(texts[1]).toContain(' dropped 1 event (closed): ');
  });

  it('logs durations with three digits, without the noise of the clock', () => {
    const logger = recorder();
    const observe = loggerObserver(logger, { requests: 'all' });
    void observe({ ...request(200), durationMs: 2.290_146_000_000_021_3 } as Observation);
    void observe({
      type: 'recovered',
      where: 'expiry of memory',
      error,
      count: 1,
      durationMs: 0.008_051_999_999_963_755,
    });
    const durations = logger.lines.map(([, fields]) => (fields as { durationMs: number }).durationMs);
    expect(durations).toEqual([2.29, 0.008]);
  });

  it('logs errors with err, changes and failed requests, in the shape of pino', () => {
    const logger = recorder();
    const observe = loggerObserver(logger);
    for (const observation of OBSERVATIONS) void observe(observation);
    expect(logger.lines).toEqual([
      [
        'error',
        { err: error, where: 'expiry of memory', count: 1 },
        'error in expiry of memory: fetch failed: connect ECONNREFUSED',
      ],
      [
        'info',
        { where: 'expiry of memory', count: 3, durationMs: 2000.4 },
        'expiry of memory works again after 3 failures in 2000 ms',
      ],
      ['error', { check: 'database', status: 'failed', err: error }, 'check database is failed: away'],
      ['warn', { check: 'mail', status: 'degraded' }, 'check mail is degraded: full'],
      ['info', { check: 'database', status: 'ok' }, 'check database is ok'],
      [
        'error',
        expect.objectContaining({ verb: 'get', status: 500, caller: 'ops' }),
        expect.stringMatching(/^get .* 500$/),
      ],
    ]);
  });

  it('logs all requests or none on request, and never a line that a client made up', () => {
    const all = recorder();
    const none = recorder();
    for (const observation of OBSERVATIONS) {
      void loggerObserver(all, { requests: 'all' })(observation);
      void loggerObserver(none, { requests: 'none' })(observation);
    }
    expect(all.lines).toHaveLength(7);
    expect(none.lines).toHaveLength(5);
    for (const line of all.lines) expect(line[2]).toMatch(/^[ -~]+$/);
  });

  it('escapes and shortens the method and the URL, which clients choose', () => {
    const logger = recorder();
    const observe = loggerObserver(logger);
    void observe({ ...request(500), url: '/events/\u202e\u001b[31m' } as Observation);
    void observe({ ...request(500), verb: 'x'.repeat(30_000), url: '/' } as Observation);
    const texts = logger.lines.map((line) => line[2] as string);
    expect(texts[0]).toBe('get /events/\\u202e\\u001b[31m 500');
    expect(texts[1]).toHaveLength(1_028);
  });

  it('calls the methods on the logger, which may need their object', () => {
    class Logger {
      readonly lines: string[] = [];
      info(_fields: object, text: string): void {
        this.lines.push(text);
      }
      warn = this.info;
      error = this.info;
    }
    const logger = new Logger();
    void loggerObserver(logger)({ type: 'health.changed', check: 'a', status: 'ok' });
    expect(logger.lines).toEqual(['check a is ok']);
  });

  it('logs the check shutdown, which fails whenever a process ends, as information', () => {
    const logger = recorder();
    void loggerObserver(logger)({ type: 'health.changed', check: 'shutdown', status: 'failed', reason: 'ending' });
    expect(logger.lines).toEqual([
      ['info', { check: 'shutdown', status: 'failed' }, 'check shutdown is failed: ending'],
    ]);
  });

  it('logs a post-start hook that is not finished as information, and one that failed as an error', async () => {
    const logger = recorder();
    const access = { authenticate: allowAnonymous(), authorize: allowEverybody() };
    const health = createHealth({ ...access, observe: loggerObserver(logger) });
    const [slow, broken] = [health.addPostStartHook('slow'), health.addPostStartHook('broken')];
    broken.failed(new Error('no rights'));
    await health.report('readyz');
    slow.done();
    await health.report('readyz');
    expect(
      logger.lines
        .map(([level, , text]) => `${String(level)}: ${String(text)}`)
        .filter((line) => line.includes('hook')),
    ).toEqual([
      'info: check poststarthook/slow is failed: not finished',
      'error: check poststarthook/broken is failed: no rights',
      'info: check poststarthook/slow is ok',
    ]);
  });

  it('is refused without a logger, and with invalid options', () => {
    expect(() => loggerObserver({} as never)).toThrow(
      'loggerObserver: the logger must be an object with info, warn, error',
    );
    expect(() => loggerObserver(recorder(), { requests: 'some' } as never)).toThrow(
      /requests must be 'failed' or 'all' or 'none'/,
    );
    expect(() => consoleObserver(undefined as never)).toThrow(/^consoleObserver: the logger must be/);
  });
});

describe('consoleObserver', () => {
  it('writes lines, and after an unexpected error the error itself', () => {
    const console = recorder();
    for (const observation of OBSERVATIONS) void consoleObserver(console)(observation);
    expect(console.lines.slice(0, 3)).toEqual([
      ['error', 'error in expiry of memory: fetch failed: connect ECONNREFUSED', error],
      ['info', 'expiry of memory works again after 3 failures in 2000 ms'],
      ['error', 'check database is failed: away'],
    ]);
  });
});

describe('isProbe', () => {
  it.each([
    '/healthz',
    '/livez?verbose',
    '/readyz/database',
    '/metrics',
    '/metrics/slis',
    'http://10.0.0.7:8080/readyz',
    'https://host/livez?x=/a',
  ])('is true for %s', (url) => {
    expect(isProbe({ url })).toBe(true);
    expect(isProbe(new Request(new URL(url, 'http://localhost')))).toBe(true);
  });

  it.each(['/', '/healthzz', '/api/healthz', '/readyzebra', 'readyz', 'http://host', 'http://livez/', '/?/livez'])(
    'is false for %s',
    (url) => {
      expect(isProbe({ url })).toBe(false);
    },
  );

  it('reads the URL that the client sent where Express has taken off a prefix', () => {
    expect(isProbe({ url: '/livez', originalUrl: '/ops/livez' })).toBe(false);
    expect(isProbe({ url: '/', originalUrl: '/livez' })).toBe(true);
  });

  it('may be given further arguments, as by morgan, and anything that is no request', () => {
    expect(['/livez', '/'].map((url) => ({ url })).filter(isProbe)).toEqual([{ url: '/livez' }]);
    expect(isProbe({})).toBe(false);
    for (const value of [{ url: 5 }, undefined, null, '/livez']) expect(isProbe(value as never)).toBe(false);
  });
});
