import type { Health } from '../../src/health/contract.js';
import type { HealthOptions } from '../../src/health/options.js';

/** The response of a server, whatever the transport. */
export interface HealthResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends a request to a server that serves the fixture below. */
export type Ask = (
  method: string,
  url: string,
  init?: { readonly headers?: Readonly<Record<string, string>> },
) => Promise<HealthResponse>;

/** One statement about the health endpoints. An id never changes its meaning. */
export interface HealthConformanceCheck {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly title: string;
  /** Throws when the statement does not hold. */
  check(ask: Ask): Promise<void>;
}

/**
 * The callers of the fixture: `Bearer operator` may read single checks, `Bearer guest` is authenticated but may not.
 */
export const fixtureOptions: HealthOptions = {
  authenticate: ({ headers }) => {
    const token = /^Bearer (\w+)$/.exec(String(headers?.['authorization'] ?? ''))?.[1];
    return token === 'operator' || token === 'guest' ? { name: token, groups: [] } : undefined;
  },
  authorize: ({ name }) => ({ allowed: name === 'operator' }),
};

/** The checks of the fixture: `readyz` and `livez` pass, `healthz` fails. */
export function addFixtureChecks({ add }: Pick<Health, 'add'>): void {
  add({ name: 'database', check: () => Promise.resolve(), group: 'stores' });
  add({ name: 'stores/cache', check: () => true, group: 'stores' });
  add({ name: 'mail', check: () => new Error('queue is full'), critical: false });
  add({ name: 'loop', check: () => true, endpoints: ['livez'] });
  add({ name: 'broken', check: () => Promise.reject(new Error('s3cret')), endpoints: ['healthz'], group: 'bad' });
}

const TEXT = 'text/plain; charset=utf-8';
const OPERATOR = { headers: { authorization: 'Bearer operator' } };
const GUEST = { headers: { authorization: 'Bearer guest' } };
const READYZ_LINES =
  '[+]ping ok\n[+]log ok\n[+]database ok\n[+]stores/cache ok\n[+]mail ok (degraded: reason withheld)\n[+]shutdown ok\n';
const LIVEZ_LINES = '[+]ping ok\n[+]log ok\n[+]loop ok\n';
const PASSED = 'healthz check passed\n';

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) {
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
}

/** Compares status and body, to the byte. */
async function responds(asked: Promise<HealthResponse>, status: number, text: string): Promise<HealthResponse> {
  const response = await asked;
  same(response.status, status, 'status');
  same(response.text, text, 'body');
  return response;
}

function headed({ headers }: HealthResponse, expected: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(expected)) same(headers[name], value, name);
}

function warning(names: string): string {
  return `warn: some health checks cannot be excluded: no matches for ${names}\n`;
}

const must = (id: string, title: string, check: (ask: Ask) => Promise<unknown>): HealthConformanceCheck => ({
  id,
  level: 'MUST',
  title,
  check: async (ask) => void (await check(ask)),
});
const should = (id: string, title: string, check: (ask: Ask) => Promise<unknown>): HealthConformanceCheck => ({
  ...must(id, title, check),
  level: 'SHOULD',
});

/** What the health endpoints of a server with the fixture respond with. */
export const healthChecks: readonly HealthConformanceCheck[] = [
  must('HEALTH-01', 'livez responds with 200 ok', (ask) => responds(ask('GET', '/livez'), 200, 'ok')),
  must('HEALTH-02', 'readyz responds with 200 ok', (ask) => responds(ask('GET', '/readyz'), 200, 'ok')),
  must('HEALTH-03', 'a failing check makes the status 500 with all lines and no reason', (ask) =>
    responds(
      ask('GET', '/healthz'),
      500,
      '[+]ping ok\n[+]log ok\n[+]database ok\n[+]stores/cache ok\n[+]mail ok (degraded: reason withheld)\n[-]broken failed: reason withheld\nhealthz check failed\n',
    ),
  ),
  must(
    'HEALTH-04',
    'a root is plain UTF-8 text, not to be cached, not to be sniffed, passing and failing',
    async (ask) => {
      for (const url of ['/livez', '/livez?verbose', '/healthz']) {
        const expected = {
          'content-type': TEXT,
          'cache-control': 'no-cache, private',
          'x-content-type-options': 'nosniff',
        };
        headed(await ask('GET', url), expected);
      }
    },
  ),
  must('HEALTH-05', 'verbose prints a line per check in order, shutdown last on readyz', (ask) =>
    responds(ask('GET', '/readyz?verbose'), 200, `${READYZ_LINES}${PASSED}`),
  ),
  must('HEALTH-06', 'livez shows the checks that joined it, and no shutdown', (ask) =>
    responds(ask('GET', '/livez?verbose'), 200, `${LIVEZ_LINES}${PASSED}`),
  ),
  must('HEALTH-07', 'verbose is a flag: any value switches it on', async (ask) => {
    for (const query of ['verbose=false', 'verbose=', 'verbose=0']) {
      await responds(ask('GET', `/livez?${query}`), 200, `${LIVEZ_LINES}${PASSED}`);
    }
  }),
  must('HEALTH-08', 'parameter names are case-sensitive', (ask) => responds(ask('GET', '/livez?Verbose'), 200, 'ok')),
  must('HEALTH-09', 'exclude leaves out the named check', (ask) =>
    responds(
      ask('GET', '/livez?verbose&exclude=ping'),
      200,
      `${LIVEZ_LINES.replace('ping', 'ping excluded:')}${PASSED}`,
    ),
  ),
  must('HEALTH-10', 'exclude may be repeated', (ask) =>
    responds(
      ask('GET', '/livez?exclude=ping&exclude=log&verbose'),
      200,
      `[+]ping excluded: ok\n[+]log excluded: ok\n[+]loop ok\n${PASSED}`,
    ),
  ),
  must('HEALTH-11', 'exclude with the name of a group leaves out the group', (ask) =>
    responds(
      ask('GET', '/readyz?verbose&exclude=stores'),
      200,
      `[+]ping ok\n[+]log ok\n[+]database excluded with stores: ok\n[+]stores/cache excluded with stores: ok\n[+]mail ok (degraded: reason withheld)\n[+]shutdown ok\n${PASSED}`,
    ),
  ),
  must('HEALTH-12', 'excluding the failing check makes the root pass', async (ask) => {
    await responds(ask('GET', '/healthz?exclude=broken'), 200, 'ok');
    await responds(ask('GET', '/healthz?exclude=bad'), 200, 'ok');
  }),
  must('HEALTH-13', 'names that match nothing are listed once, sorted and quoted', async (ask) => {
    for (const [query, names] of [
      ['exclude=b&exclude=a&exclude=b', '"a","b"'],
      ['exclude=', '""'],
      ['exclude=also%22x', '"also\\"x"'],
      ['exclude=a%0Ab', '"a\\nb"'],
      ['exclude=%C3%A9', '"é"'],
    ] as const) {
      await responds(ask('GET', `/livez?verbose&${query}`), 200, `${LIVEZ_LINES}${warning(names)}${PASSED}`);
    }
  }),
  must('HEALTH-14', 'a list with commas is one name', (ask) =>
    responds(ask('GET', '/livez?verbose&exclude=ping,log'), 200, `${LIVEZ_LINES}${warning('"ping,log"')}${PASSED}`),
  ),
  must('HEALTH-15', 'names are matched exactly', (ask) =>
    responds(ask('GET', '/livez?verbose&exclude=%20ping'), 200, `${LIVEZ_LINES}${warning('" ping"')}${PASSED}`),
  ),
  must('HEALTH-16', 'the warning is not shown in the short response', (ask) =>
    responds(ask('GET', '/livez?exclude=nope'), 200, 'ok'),
  ),
  must('HEALTH-17', 'shutdown can be excluded on readyz', (ask) =>
    responds(
      ask('GET', '/readyz?verbose&exclude=shutdown'),
      200,
      `${READYZ_LINES.replace('shutdown', 'shutdown excluded:')}${PASSED}`,
    ),
  ),
  must('HEALTH-18', 'HEAD gives the headers of GET, with its length and without its body', async (ask) => {
    const get = await ask('GET', '/readyz?verbose');
    const head = await responds(ask('HEAD', '/readyz?verbose'), 200, '');
    headed(head, {
      'content-type': TEXT,
      'content-length': String(get.text.length),
      'cache-control': 'no-cache, private',
    });
    same((await ask('HEAD', '/healthz')).status, 500, 'status');
  }),
  must('HEALTH-19', 'any method is answered on a root', async (ask) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      await responds(ask(method, '/livez'), 200, 'ok');
  }),
  must('HEALTH-20', 'Accept does not switch the format', async (ask) => {
    for (const accept of ['application/json', 'application/json, */*', 'application/yaml', 'text/html']) {
      headed(await responds(ask('GET', '/livez', { headers: { accept } }), 200, 'ok'), { 'content-type': TEXT });
    }
  }),
  must('HEALTH-21', 'a root does not need a credential, and does not mind a bad one', (ask) =>
    responds(ask('GET', '/readyz', { headers: { authorization: 'Bearer nobody' } }), 200, 'ok'),
  ),
  must('HEALTH-22', 'a single check responds with ok as text without nosniff', async (ask) => {
    const response = await responds(ask('GET', '/livez/ping', OPERATOR), 200, 'ok');
    headed(response, {
      'content-type': TEXT,
      'cache-control': 'no-cache, private',
      'x-content-type-options': undefined,
    });
  }),
  must('HEALTH-23', 'the name of a single check may contain slashes, escaped or not', async (ask) => {
    await responds(ask('GET', '/readyz/stores/cache', OPERATOR), 200, 'ok');
    await responds(ask('GET', '/readyz/stores%2Fcache', OPERATOR), 200, 'ok');
    await responds(ask('GET', '/readyz%2Fdatabase', OPERATOR), 200, 'ok');
  }),
  must('HEALTH-24', 'a single check that fails is 500 and tells the reason to who may know', async (ask) => {
    const response = await responds(ask('GET', '/healthz/broken', OPERATOR), 500, 'internal server error: s3cret\n');
    headed(response, { 'content-type': TEXT, 'x-content-type-options': 'nosniff' });
  }),
  must('HEALTH-25', 'a single check is 401 without a credential', async (ask) => {
    const response = await ask('GET', '/livez/ping');
    same(response.status, 401, 'status');
    headed(response, { 'content-type': 'application/json', 'www-authenticate': undefined });
    same(
      response.text,
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n',
      'body',
    );
  }),
  must('HEALTH-26', 'a single check is 403 without the right, also one that does not exist', async (ask) => {
    for (const name of ['broken', 'nope']) {
      const response = await ask('GET', `/healthz/${name}`, GUEST);
      same(response.status, 403, 'status');
      headed(response, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
      same(
        (JSON.parse(response.text) as { message?: unknown }).message,
        `forbidden: User "guest" cannot get path "/healthz/${name}"`,
        'message',
      );
    }
  }),
  must('HEALTH-27', 'the verb that is asked for is the method', async (ask) => {
    const { text } = await ask('POST', '/livez/ping', GUEST);
    same(text.includes('cannot post path'), true, 'names the verb');
  }),
  must('HEALTH-28', 'an unknown check is 404 as text', async (ask) => {
    for (const url of ['/livez/nope', '/livez/PING', '/livez/ping/', '/livez//ping', '/livez/', '/healthz/shutdown']) {
      headed(await responds(ask('GET', url, OPERATOR), 404, '404 page not found\n'), {
        'content-type': TEXT,
        'x-content-type-options': 'nosniff',
      });
    }
  }),
  must('HEALTH-29', 'a check is found below the endpoints it counts for only', async (ask) => {
    await responds(ask('GET', '/readyz/loop', OPERATOR), 404, '404 page not found\n');
    await responds(ask('GET', '/livez/loop', OPERATOR), 200, 'ok');
  }),
  must('HEALTH-30', 'parameters of a root are ignored on a single check', (ask) =>
    responds(ask('GET', '/livez/ping?exclude=ping&verbose', OPERATOR), 200, 'ok'),
  ),
  must('HEALTH-31', 'a degraded check leaves the status at 200', async (ask) => {
    await responds(ask('GET', '/readyz/mail', OPERATOR), 200, 'ok\ndegraded: queue is full\n');
  }),
  must('HEALTH-32', 'a timeout that is no duration is 400', async (ask) => {
    const response = await ask('GET', '/livez?timeout=abc');
    same(response.status, 400, 'status');
    same(
      (JSON.parse(response.text) as { message?: unknown }).message,
      'invalid timeout specified in the request URL - time: invalid duration "abc"',
      'message',
    );
    await responds(ask('GET', '/livez?timeout=5s'), 200, 'ok');
  }),
  must('HEALTH-33', 'no response of a root contains a reason, in any format', async (ask) => {
    for (const url of ['/healthz', '/healthz?verbose', '/healthz?format=json']) {
      same((await ask('GET', url, OPERATOR)).text.includes('s3cret'), false, 'shows the reason');
    }
  }),
  should('HEALTH-34', 'format=json gives the same verdicts as JSON, with the same status code', async (ask) => {
    const response = await ask('GET', '/healthz?format=json&exclude=log');
    same(response.status, 500, 'status');
    headed(response, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    const report = JSON.parse(response.text) as { status: string; checks: { name: string; status: string }[] };
    same(report.status, 'failed', 'status');
    same(
      report.checks.map(({ name, status }) => `${name} ${status}`).join(', '),
      'ping ok, log excluded, database ok, stores/cache ok, mail degraded, broken failed',
      'checks',
    );
  }),
  should('HEALTH-35', 'a failing root shows the warning about excluded names as well', async (ask) => {
    const { text } = await ask('GET', '/healthz?exclude=nope');
    same(text.endsWith(`failed: reason withheld\n${warning('"nope"')}healthz check failed\n`), true, 'ends so');
  }),
  must(
    'HEALTH-36',
    'what stands between "[+]" and " ok" of a passing line is the path of a single check',
    async (ask) => {
      for (const root of ['livez', 'readyz']) {
        const { text } = await ask('GET', `/${root}?verbose`);
        const names = [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name);
        same(names.length > 2, true, 'names are found');
        for (const name of names) await responds(ask('GET', `/${root}/${name}`, OPERATOR), 200, 'ok');
      }
    },
  ),
];
