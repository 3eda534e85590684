import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { EndSignal, ProcessContext } from '../../../../src/cli/command-line/command.js';
import { runProgram } from '../../../../src/cli/program.js';
import type { EventStore } from '../../../../src/index.js';

/** The verdict of a check besides those of the server. */
const check = vi.hoisted(() => ({ passes: true }));
vi.mock('../../../../src/cli/serve/checks.js', async (importOriginal) => {
  const { standaloneChecks } = await importOriginal<typeof import('../../../../src/cli/serve/checks.js')>();
  const added = { name: 'of-the-test', check: () => check.passes, failureThreshold: 1 };
  return {
    standaloneChecks: (...options: Parameters<typeof standaloneChecks>) => [...standaloneChecks(...options), added],
  };
});

/** The stores that were opened, whether the next one answers no writes, and the error that it reports. */
const stores = vi.hoisted((): EventStore[] => []);
const nextStore = vi.hoisted(() => ({ hangs: false, fault: '' }));
vi.mock('../../../../src/cli/stores/open-store.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../../src/cli/stores/open-store.js')>();
  const openStore: typeof original.openStore = async (...options) => {
    if (nextStore.fault !== '')
      void options[1].observe?.({ type: 'error', error: new Error(nextStore.fault), where: 'x' });
    const opened = await original.openStore(...options);
    const hanging = { create: () => new Promise<never>(() => undefined) };
    const store = nextStore.hangs ? { ...opened, ...hanging } : opened;
    stores.push(store);
    return store;
  };
  return { ...original, openStore };
});

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

interface Running {
  readonly dataDir: string;
  /** The URL of its HTTP port, and the headers of its administrator. */
  readonly address: string;
  readonly headers: OutgoingHttpHeaders;
  readonly banner: string;
  readonly log: string[];
  /** Sends a request to the HTTP port, as the administrator unless there are other headers. */
  readonly open: (
    method: string,
    path: string,
    body?: object,
    headers?: OutgoingHttpHeaders,
  ) => Promise<IncomingMessage>;
  readonly ask: (method: string, path: string, body?: object, headers?: OutgoingHttpHeaders) => Promise<HttpResponse>;
  readonly signal: () => void;
  readonly code: Promise<number>;
}

interface Recorded {
  readonly reason: string;
  readonly note: string;
  readonly reportingInstance: string;
  readonly regarding: object;
}

const EVENTS = '/apis/events.example.com/v1/namespaces/shop/events';
const OF_SERVER = '/apis/events.example.com/v1/namespaces/default/events';

const event = (name: string, more: object = {}): object => ({
  metadata: { name, ...more },
  eventTime: '2026-03-05T06:07:08.123456Z',
  ...{ reportingController: 'example.com/tester', reportingInstance: 'tester-0' },
  ...{ action: 'Testing', reason: 'Tested', type: 'Normal' },
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
});

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-serve-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs `kube-vitals serve` in this process, with these flags besides those for its ports. */
async function start(dataDir: string, ...flags: readonly string[]): Promise<Running> {
  let banner = '';
  const log: string[] = [];
  const listeners = new Set<(signal: EndSignal) => void>();
  const context: ProcessContext = {
    stdout: { write: (text) => (banner += text) },
    stderr: { write: (text) => log.push(text) },
    pid: 4711,
    onSignal(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const words = ['serve', '--secure-port=0', '--insecure-port=0', `--data-dir=${dataDir}`, ...flags];
  const code = runProgram(words, '1.2.3', context);
  const signal = (): void => listeners.forEach((listener) => listener('SIGTERM'));
  onTestFinished(async () => {
    signal();
    await code;
  });
  await vi.waitFor(() => expect(banner).toContain('Ctrl-C'), { timeout: 20_000 });
  const [, address = ''] = / and (http:\S+)$/m.exec(banner) ?? [];
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  const open: Running['open'] = async (method, path, body, given = headers) => {
    const request = httpRequest(`${address}${path}`, { method, agent: false, headers: given });
    if (body !== undefined) request.setHeader('content-type', 'application/json');
    request.end(body && JSON.stringify(body));
    return ((await once(request, 'response')) as [IncomingMessage])[0];
  };
  const ask: Running['ask'] = async (...call) => {
    const response = await open(...call);
    return { status: response.statusCode ?? 0, text: await textOf(response) };
  };
  return { dataDir, address, headers, banner, log, open, ask, signal, code };
}

// The command loads it when it runs, which takes most of the time of these tests.
beforeAll(() => import('../../../../src/cli/serve/serve.js'));

const inMemory = async (...flags: readonly string[]): Promise<Running> =>
  start(await newFolder(), '--store=memory', ...flags);

test('kube-vitals serve has the defaults that its help names', async () => {
  const { ask, open } = await inMemory();
  const anonymous = {};
  const root = JSON.parse((await ask('GET', '/')).text) as { paths: readonly string[] };
  expect(root.paths).toEqual([
    ...['/', '/api', '/api/v1', '/apis', '/apis/events.example.com', '/apis/events.example.com/v1', '/healthz'],
    ...['/index.html', '/livez', '/metrics', '/metrics/slis', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
  ]);
  const created = await ask('POST', EVENTS, event('a'));
  expect([created.status, created.text.includes('"managedFields"')]).toEqual([201, true]);
  expect((await ask('GET', '/api/v1/namespaces/shop/events/a')).status).toBe(200);
  expect((await ask('GET', '/metrics')).status).toBe(200);
  expect((await ask('GET', '/readyz', undefined, anonymous)).status).toBe(200);
  expect((await ask('GET', EVENTS, undefined, anonymous)).status).toBe(403);
  expect((await open('GET', '/readyz')).headers).toHaveProperty('audit-id');
  expect((await ask('GET', '/readyz?verbose')).text).not.toContain('example-dependency');
  // Larger than the library takes by default, and refused for another reason.
  const large = event('large', { annotations: { 'example.com/large': 'x'.repeat(600_000) } });
  expect((await ask('POST', EVENTS, large)).status).toBe(422);
});

test('kube-vitals serve follows its flags', async () => {
  const { ask, banner } = await inMemory(
    ...['--api-domain=shop.test', '--core-v1-events=false', '--managed-fields=false', '--metrics=false'],
    ...[
      '--anonymous-auth=false',
      '--example-dependency',
      '--max-body-bytes=2000',
      '--event-rate-limit-namespace=0.001/2',
    ],
  );
  const events = '/apis/events.shop.test/v1/namespaces/shop/events';
  expect(banner).toContain('serves events.shop.test/v1 on');
  const root = JSON.parse((await ask('GET', '/')).text) as { paths: readonly string[] };
  expect(root.paths).not.toContain('/api/v1');
  expect(root.paths).not.toContain('/metrics');
  expect((await ask('POST', events, event('large', { annotations: { a: 'x'.repeat(2_000) } }))).status).toBe(413);
  const created = await ask('POST', events, event('a'));
  expect([created.status, created.text.includes('managedFields')]).toEqual([201, false]);
  expect((await ask('GET', '/api/v1/namespaces/shop/events/a')).status).toBe(404);
  expect((await ask('GET', '/metrics')).status).toBe(404);
  expect((await ask('GET', '/readyz', undefined, {})).status).toBe(401);
  expect((await ask('GET', '/readyz?verbose')).text).toContain('example-dependency');
  expect((await ask('POST', events, event('b'))).status).toBe(201);
  expect((await ask('POST', events, event('c'))).status).toBe(429);
});

test('kube-vitals serve removes events after --event-ttl', async () => {
  const { ask } = await inMemory('--event-ttl=1s');
  expect((await ask('POST', EVENTS, event('a'))).status).toBe(201);
  await vi.waitFor(async () => expect((await ask('GET', `${EVENTS}/a`)).status).toBe(404), { timeout: 10_000 });
});

test('kube-vitals serve lets its administrator act as others on all paths', async () => {
  const { dataDir, ask } = await inMemory();
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const asJane = { authorization: `Bearer ${token}`, 'impersonate-user': 'jane' };
  const asAnonymous = {
    ...asJane,
    'impersonate-user': 'system:anonymous',
    'impersonate-group': 'system:unauthenticated',
  };
  for (const path of ['/readyz?verbose', '/', EVENTS, '/metrics', '/unknown']) {
    expect((await ask('GET', path, undefined, asJane)).status).toBe(path === '/unknown' ? 404 : 200);
  }
  for (const path of ['/', EVENTS, '/metrics', '/unknown']) {
    expect((await ask('GET', path, undefined, asAnonymous)).status).toBe(403);
  }
});

test('kube-vitals serve records the changes of its checks as events, and shows why one fails to its administrator', async () => {
  const { ask, log } = await inMemory();
  expect((await ask('GET', '/readyz')).status).toBe(200);
  check.passes = false;
  onTestFinished(() => void (check.passes = true));
  expect((await ask('GET', '/readyz?verbose')).text).toContain('[-]of-the-test failed');
  await vi.waitFor(async () => expect((await ask('GET', OF_SERVER)).text).toContain('check of-the-test is failed'));
  expect(log.join('')).toContain('check of-the-test is failed');
});

test('kube-vitals serve writes a kubeconfig, with which its HTTPS port can be verified', async () => {
  const { dataDir, banner } = await inMemory();
  const [, secureUrl] = / on (https:\S+) /.exec(banner) ?? [];
  const config = await readFile(join(dataDir, 'kubeconfig'), 'utf8');
  expect(config).toContain(`server: "${secureUrl}"`);
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(config)?.[1] ?? '', 'base64');
  const token = /token: "(\S+)"/.exec(config)?.[1];
  const headers = { authorization: `Bearer ${token}` };
  const request = httpsRequest(`${secureUrl}${EVENTS}`, { ca, agent: false, headers }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  response.resume();
});

test('kube-vitals serve records its start and its end, and then ends watches', async () => {
  // The delay, so that the last event reaches the watch before it ends.
  const { open, signal, code, log, banner } = await inMemory('--shutdown-delay-duration=500ms');
  const watching = textOf(await open('GET', `${OF_SERVER}?watch=true`));
  signal();
  const frames = (await watching).trim().split('\n');
  const objects = frames.map((frame) => (JSON.parse(frame) as { readonly object: Recorded }).object);
  expect(objects.map(({ reason }) => reason)).toEqual(['Started', 'ShutdownStarted']);
  expect(objects[0]?.note).toBe(/^kube-vitals (serves? .*) and /.exec(banner)?.[1]?.replace('serves', 'serving'));
  expect(objects.every(({ reportingInstance }) => reportingInstance.endsWith('-4711'))).toBe(true);
  const regarding = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: 'v1.events.example.com' };
  for (const object of objects) expect(object.regarding).toMatchObject(regarding);
  expect(await code).toBe(0);
  expect(log.join('')).toMatch(/^SIGTERM: shutting down\n[^]*^ended\n$/m);
});

test('kube-vitals serve knows the users of --token-auth-file, and still its administrator', async () => {
  const dataDir = await newFolder();
  const tokens = join(dataDir, 'tokens.csv');
  await writeFile(tokens, 's3cret,alice,1001,"operators"\n');
  const { ask } = await start(dataDir, '--store=memory', `--token-auth-file=${tokens}`);
  const statusFor = async (token: string): Promise<number> =>
    (await ask('GET', EVENTS, undefined, { authorization: `Bearer ${token}` })).status;
  expect(await statusFor('s3cret')).toBe(200);
  expect(await statusFor('s3cre')).toBe(401);
  expect((await ask('GET', EVENTS)).status).toBe(200);
});

test('kube-vitals serve records events whatever its policies allow, and closes its store at the end', async () => {
  const dataDir = await newFolder();
  const policies = join(dataDir, 'policies');
  await writeFile(policies, '{"user":"jane"}\n');
  const { ask, signal, code } = await start(
    dataDir,
    ...['--store=memory', '--authorization-mode=ABAC', `--authorization-policy-file=${policies}`],
  );
  expect((await ask('GET', OF_SERVER)).text).toContain('"reason":"Started"');
  await stores.at(-1)?.ping();
  signal();
  await code;
  await expect(stores.at(-1)?.ping()).rejects.toMatchObject({ code: 'closed' });
});

test('kube-vitals serve waits only once for an unavailable store when it ends', async () => {
  nextStore.hangs = true;
  const waiting = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
  onTestFinished(() => {
    nextStore.hangs = false;
    waiting.mockRestore();
  });
  const { signal, code, log } = await inMemory();
  signal();
  expect(await code).toBe(0);
  expect(log.join('')).toMatch(/dropped \d+ events? \(closed\): the store is not available/);
});

test('kube-vitals serve refuses requests on open connections while those in flight finish', async () => {
  const { address, headers, ask, signal, code } = await inMemory();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const get = async (): Promise<IncomingMessage> => {
    const [response] = (await once(httpRequest(`${address}${EVENTS}`, { agent, headers }).end(), 'response')) as [
      IncomingMessage,
    ];
    await textOf(response);
    return response;
  };
  expect((await get()).statusCode).toBe(200);
  const body = JSON.stringify(event('a'));
  const json = { 'content-type': 'application/json', 'content-length': body.length };
  const slow = httpRequest(`${address}${EVENTS}`, { method: 'POST', agent: false, headers: { ...headers, ...json } });
  slow.write(body.slice(0, 10));
  // Both are on their way before the server stops accepting.
  await vi.waitFor(() => expect(slow.socket?.connecting).toBe(false));
  expect((await get()).statusCode).toBe(200);
  signal();
  const refused = async (): Promise<void> =>
    void (await expect(ask('GET', EVENTS)).rejects.toMatchObject({ code: 'ECONNREFUSED' }));
  await vi.waitFor(refused, { interval: 20, timeout: 5_000 });
  const response = await get();
  expect([response.statusCode, response.headers['retry-after'], response.headers.connection]).toEqual([
    503,
    '1',
    'close',
  ]);
  slow.end(body.slice(10));
  expect(((await once(slow, 'response')) as [IncomingMessage])[0].statusCode).toBe(201);
  expect(await code).toBe(0);
});

test('kube-vitals serve in memory begins with revisions that no earlier start has used', async () => {
  const dataDir = await newFolder();
  const latest = async (server: Running): Promise<number> =>
    Number(/"resourceVersion":"(\d+)"/.exec((await server.ask('GET', EVENTS)).text)?.[1]);
  const first = await start(dataDir, '--store=memory');
  const before = await latest(first);
  first.signal();
  await first.code;
  expect(await latest(await start(dataDir, '--store=memory'))).toBeGreaterThanOrEqual(before + 100_000_000 - 10);
});

test.each(['--token-auth-file', '--authorization-policy-file'])(
  'kube-vitals serve names %s where its file cannot be read, or is too large',
  async (flag) => {
    const dir = await newFolder();
    const run = async (path: string): Promise<string> => {
      let err = '';
      const words = ['serve', `--data-dir=${dir}`, `${flag}=${path}`];
      if (flag === '--authorization-policy-file') words.push('--authorization-mode=ABAC');
      const context: ProcessContext = {
        stdout: { write: () => true },
        stderr: { write: (text) => (err += text) },
        pid: 1,
        onSignal: () => () => undefined,
      };
      expect(await runProgram(words, '1.2.3', context)).toBe(1);
      return err;
    };
    expect(await run('/no/such')).toBe(`error: ${flag}: cannot read /no/such (ENOENT)\n`);
    const large = join(dir, 'large');
    await writeFile(large, '#'.repeat(4_194_305));
    expect(await run(large)).toBe(`error: ${flag}: ${large} is larger than 4194304 bytes\n`);
  },
);

test('kube-vitals serve refuses a token file that gives the admin token to another user', async () => {
  const dataDir = await newFolder();
  await writeFile(join(dataDir, 'admin-token'), '0123456789abcdef');
  const tokens = join(dataDir, 'tokens.csv');
  await writeFile(tokens, '0123456789abcdef,alice,1001\n');
  let err = '';
  const context: ProcessContext = {
    stdout: { write: () => true },
    stderr: { write: (text) => (err += text) },
    pid: 1,
    onSignal: () => () => undefined,
  };
  expect(await runProgram(['serve', `--data-dir=${dataDir}`, `--token-auth-file=${tokens}`], '1.2.3', context)).toBe(1);
  expect(err).toBe(`error: token file ${tokens}: the token of user alice is the admin token of --data-dir\n`);
});

test('kube-vitals serve starts without its kubeconfig where it cannot be written, and says why', async () => {
  const dataDir = await newFolder();
  await mkdir(join(dataDir, 'kubeconfig'));
  const { log, ask } = await start(dataDir, '--store=memory');
  expect(log.join('')).toContain(`the start is not complete: cannot read ${join(dataDir, 'kubeconfig')}: it is a`);
  expect((await ask('GET', '/readyz')).status).toBe(500);
});

test('kube-vitals serve logs what a store reports with advice for users of the program', async () => {
  onTestFinished(() => void (nextStore.fault = ''));
  nextStore.fault = 'old functions: let their owner apply postgresSchema() of this release';
  const { log } = await inMemory();
  expect(log.join('')).toContain('error in x: old functions: start kube-vitals serve once as their owner\n');
});
