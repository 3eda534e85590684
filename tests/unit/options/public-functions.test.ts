import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as bridge from '../../../src/bridge.js';
import * as client from '../../../src/client.js';
import * as etcd from '../../../src/etcd.js';
import * as fastifyEntry from '../../../src/fastify.js';
import * as fetchEntry from '../../../src/fetch.js';
import * as health from '../../../src/health.js';
import * as honoEntry from '../../../src/hono.js';
import * as koaEntry from '../../../src/koa.js';
import * as main from '../../../src/index.js';
import * as lifecycle from '../../../src/lifecycle.js';
import * as nest from '../../../src/nest.js';
import * as node from '../../../src/node.js';
import * as checks from '../../../src/checks.js';
import * as metrics from '../../../src/metrics.js';
import * as observers from '../../../src/observers.js';
import * as postgres from '../../../src/postgres.js';
import * as sqlite from '../../../src/sqlite.js';
import * as storeEntry from '../../../src/store.js';
import * as testing from '../../../src/testing.js';

type Call = (options: object) => unknown;

const handler = (): undefined => undefined;
const { memoryStore } = main;
const hooks = { authenticate: () => undefined, authorize: () => ({ allowed: true }) };
const part = { handle: handler };
const OTHER = { retries: 0.5, delayMs: 1 };
const KUBECONFIG = JSON.stringify({
  clusters: [{ name: 'c', cluster: { server: 'http://localhost' } }],
  contexts: [{ name: 'x', context: { cluster: 'c' } }],
  'current-context': 'x',
});

// As in a pod, for transports that look for their server.
beforeAll(() => {
  vi.stubEnv('KUBECONFIG', '/no/such/kubeconfig');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'localhost');
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
});
afterAll(() => void vi.unstubAllEnvs());
const followed = client.createEventsClient({ transport: handler });

/** The options that a call needs and those of a test. A value that is not an object is left as it is. */
function merged<T extends object>(needed: T, options: object): T {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options) && !('then' in options);
  return isObject ? { ...needed, ...options } : (options as T);
}

/** Every public function with options: what it needs besides, and two options with values of the wrong type. */
const FUNCTIONS: Readonly<Record<string, readonly [call: Call, wrong: object, faults: readonly string[]]>> = {
  createHealth: [
    (options) => main.createHealth(options),
    { timeoutMs: '5', observe: 'log' },
    ['observe must be a function', 'timeoutMs must be a number from 1 to 3600000'],
  ],
  'health.add': [
    (options) => main.createHealth().add(merged({ name: 'a', check: handler }, options)),
    { critical: 1, cacheMs: null },
    ['cacheMs must be a number from 0 to 86400000', 'critical must be true or false'],
  ],
  'health.report': [
    (options) => main.createHealth().report('readyz', options),
    { exclude: 'database' },
    ['exclude must be a list of non-empty strings'],
  ],
  createLifecycle: [
    (options) => lifecycle.createLifecycle(merged({ health: main.createHealth() }, options)),
    { drain: 1, clock: {} },
    ['drain must be a function', 'clock must be a Clock'],
  ],
  runPostStartHooks: [
    (options) => lifecycle.runPostStartHooks(merged({ health: main.createHealth(), hooks: [] }, options)),
    { hooks: [{ name: '' }], signal: 1 },
    ['hooks[0].name must be a non-empty string', 'hooks[0].run must be a function', 'signal must be an AbortSignal'],
  ],
  createEvents: [
    (options) => main.createEvents(merged({ apiDomain: 'example.com', store: memoryStore(), ...hooks }, options)),
    { discovery: 'no', clock: { now: () => 0 }, limits: { reads: '1', read: 1 }, eventRateLimits: [{}] },
    [
      'discovery must be true or false',
      'clock must be a Clock',
      'limits.reads must be a whole number of at least 1, or Infinity',
      'there is no option "limits.read" (did you mean "limits.reads"?)',
      'eventRateLimits[0].qps must be a number above 0',
    ],
  ],
  cachedStore: [
    (options) => void main.cachedStore(memoryStore(), options).close(),
    { maxBytes: 5, whenAway: 'stale', freshnessTimeoutMs: 0 },
    [
      'maxBytes must be a whole number of at least 1048576',
      'freshnessTimeoutMs must be a number from 1 to 60000',
      "whenAway must be 'fail' or 'serve-stale'",
    ],
  ],
  createApiServer: [
    (options) => main.createApiServer(merged({ health: part, events: part, ...hooks }, options)),
    { version: { major: 1, branch: 'x' }, extraPaths: 'x', health: {} },
    [
      'health must be an object with a function handle',
      'version.major must be a string',
      'there is no option "version.branch"',
      'extraPaths must be a list of non-empty strings, or a function that returns one',
    ],
  ],
  allowRules: [
    (options) => main.allowRules([merged({ users: ['jane'], verbs: ['get'] }, options)]),
    { verbs: ['read'], groups: 'dev' },
    ['rules[0].groups must be a list of non-empty strings', 'rules[0].verbs: there is no verb "read"'],
  ],
  staticTokens: [
    (options) => main.staticTokens({ t: merged({ name: 'jane' }, options) }),
    { groups: 'dev', uid: 5 },
    ['token 1: caller.uid must be a string', 'token 1: caller.groups must be a list of non-empty strings'],
  ],
  watchEvents: [
    (options) => client.watchEvents(merged({ client: followed }, options)),
    { silenceMs: 1, remember: true, signal: 1 },
    [
      'silenceMs must be a number from 100 to 86400000',
      "remember must be 'versions', 'events' or false",
      'signal must be an AbortSignal',
    ],
  ],
  createEventsCache: [
    (options) => client.createEventsCache(merged({ client: followed }, options)).close(),
    { indexers: [1], pageSize: 0 },
    ['pageSize must be a whole number from 1 to 10000', 'indexers must be an object of functions'],
  ],
  exportEvents: [
    (options) =>
      client.exportEvents(merged({ client: followed, sink: { write() {} }, signal: AbortSignal.abort() }, options)),
    { batchSize: 0, batchMs: -1 },
    ['batchSize must be a whole number from 1 to 10000', 'batchMs must be a number from 0 to 3600000'],
  ],
  memoryStore: [
    (options) => memoryStore(options),
    { clock: {}, whenFull: 'evict' },
    ['clock must be a Clock', "whenFull must be 'refuse' or 'evict-oldest'"],
  ],
  createPagedFeeds: [
    (options) => storeEntry.createPagedFeeds(merged({ read: () => [] }, options) as never),
    { read: 1 },
    ['read must be a function'],
  ],
  copyEvents: [
    (options) => storeEntry.copyEvents(memoryStore(), memoryStore(), options),
    { overwrite: 1, signal: {} },
    ['signal must be an AbortSignal', 'overwrite must be true or false'],
  ],
  resolveUnknownOutcomes: [
    (options) => storeEntry.resolveUnknownOutcomes(memoryStore(), options),
    { withinMs: -1, clock: 1, findCreated: 1 },
    ['clock must be a Clock', 'withinMs must be a number of at least 0', 'findCreated must be a function'],
  ],
  storeCheck: [
    (options) => main.storeCheck(memoryStore(), options),
    { clockToleranceMs: 0, timeoutMs: 0 },
    ['timeoutMs must be a number from 1 to 3600000', 'clockToleranceMs must be a number above 0'],
  ],
  createMetrics: [
    (options) => metrics.createMetrics(options),
    { processMetrics: 1, registry: {} },
    ['registry must be a Registry of prom-client', 'processMetrics must be true or false'],
  ],
  eventLoopDelayCheck: [
    (options) => checks.eventLoopDelayCheck(options),
    { maxMs: 0, name: 'a b' },
    ['name must be 1 to 253 characters', 'maxMs must be a number above 0'],
  ],
  eventLoopUtilizationCheck: [
    (options) => checks.eventLoopUtilizationCheck(options),
    { max: 98 },
    ['max must be a number from 0 to 1'],
  ],
  heapCheck: [(options) => checks.heapCheck(options), { max: '1' }, ['max must be a number from 0 to 1']],
  memoryCheck: [
    (options) => checks.memoryCheck(options),
    { limitBytes: -1, endpoints: ['startupz'] },
    ['endpoints must be a list of healthz, livez, readyz', 'limitBytes must be a number above 0'],
  ],
  diskCheck: [
    (options) => checks.diskCheck(merged({ path: '/' }, options)),
    { minFree: 5, minFreeBytes: '1' },
    ['minFree must be a number from 0 to 1', 'minFreeBytes must be a number of at least 0'],
  ],
  tcpCheck: [
    (options) => checks.tcpCheck(merged({ host: 'localhost', port: 1 }, options)),
    { timeoutMs: 0 },
    ['timeoutMs must be a number from 1 to 3600000'],
  ],
  dnsCheck: [
    (options) => checks.dnsCheck(merged({ hostname: 'localhost' }, options)),
    { critical: 'no' },
    ['critical must be true or false'],
  ],
  httpCheck: [
    (options) => checks.httpCheck(merged({ url: 'http://localhost/' }, options)),
    { method: 'POST', statuses: [1] },
    ["method must be 'GET' or 'HEAD'", 'statuses[0] must be a whole number from 100 to 599'],
  ],
  certificateCheck: [
    (options) => checks.certificateCheck(merged({ host: 'localhost' }, options)),
    { port: 0, clock: {} },
    ['port must be a whole number from 1 to 65535', 'clock must be a Clock'],
  ],
  gaugeCheck: [
    (options) => checks.gaugeCheck(merged({ value: () => 1, max: 1 }, options)),
    { min: '1' },
    ['min must be a number'],
  ],
  createHolds: [
    (options) => checks.createHolds(options),
    { maxMs: 0, clock: 1 },
    ['maxMs must be a number above 0, at most 2147483647, or Infinity', 'clock must be a Clock'],
  ],
  loggerObserver: [
    (options) => observers.loggerObserver(console, options),
    { requests: 'some' },
    ["requests must be 'failed' or 'all' or 'none'"],
  ],
  consoleObserver: [
    (options) => observers.consoleObserver(console, options),
    { requests: true },
    ["requests must be 'failed' or 'all' or 'none'"],
  ],
  toNodeListener: [
    (options) => node.toNodeListener(handler, options),
    { clock: {}, maxBodyBytes: 0.5 },
    ['maxBodyBytes must be a whole number of at least 0', 'clock must be a Clock'],
  ],
  gracefulClose: [
    (options) => node.gracefulClose(createServer(), options),
    { clock: {}, idleGraceMs: NaN },
    ['idleGraceMs must be a number of at least 0, or Infinity', 'clock must be a Clock'],
  ],
  installShutdown: [
    (options) =>
      node.installShutdown(merged({ server: createServer(), health: main.createHealth(), signals: [] }, options)),
    { delayMs: -1, whileDraining: 'wait' },
    ['delayMs must be a number from 0 to 86400000', "whileDraining must be 'close' or 'retry-after'"],
  ],
  orderRequests: [(options) => node.orderRequests(createServer(), options), { clock: 1 }, ['clock must be a Clock']],
  trackConnections: [
    (options) => node.trackConnections(createServer(), options),
    { clock: 1 },
    ['clock must be a Clock'],
  ],
  toFastifyPlugin: [
    (options) => fastifyEntry.toFastifyPlugin(handler, options),
    { basePath: 'x', stallTimeoutMs: 0 },
    ['basePath must be a path', 'stallTimeoutMs must be a number above 0, or Infinity'],
  ],
  toHonoMiddleware: [
    (options) => honoEntry.toHonoMiddleware(handler, options),
    { basePath: 'x', stallTimeoutMs: 0 },
    ['basePath must be a path', 'stallTimeoutMs must be a number above 0, or Infinity'],
  ],
  toKoaMiddleware: [
    (options) => koaEntry.toKoaMiddleware(handler, options),
    { basePath: 'x', stallTimeoutMs: 0 },
    ['basePath must be a path', 'stallTimeoutMs must be a number above 0, or Infinity'],
  ],
  KubeVitalsModule: [
    (options) => nest.KubeVitalsModule.forRoot(merged({ health: main.createHealth() }, options)),
    { basePath: ['x'], shutdown: { delayMs: -1 } },
    ['basePath[0] must be a path', 'shutdown.delayMs must be a number from 0 to 86400000'],
  ],
  toFetchHandler: [
    (options) => fetchEntry.toFetchHandler(handler, options),
    { basePath: 'x', stallTimeoutMs: 0 },
    ['basePath must be a path', 'stallTimeoutMs must be a number above 0, or Infinity'],
  ],
  sqliteStore: [
    (options) => sqlite.sqliteStore(merged({ path: 'events.db' }, options)),
    { path: ':memory:', driver: 'sqlite3' },
    ['path must be a file: for a store in memory use memoryStore()', "driver must be 'auto' or "],
  ],
  postgresStore: [
    (options) => postgres.postgresStore(merged({ client: { query: () => Promise.reject(new Error()) } }, options)),
    { observe: 1, clock: {} },
    ['clock must be a Clock', 'observe must be a function'],
  ],
  postgresSchema: [
    (options) => postgres.postgresSchema(options),
    { schema: 'a b' },
    ['schema must be a name of ASCII'],
  ],
  etcdStore: [
    (options) => etcd.etcdStore(merged({ endpoints: ['http://127.0.0.1:1'] }, options)),
    { clock: {}, tls: { certificate: 'x' } },
    ['there is no option "tls.certificate"', 'clock must be a Clock', 'tls needs https endpoints'],
  ],
  createEventsClient: [
    (options) => client.createEventsClient(merged({ transport: handler }, options)),
    { group: 'Events', timeoutMs: 0, retry: OTHER, maxFrameBytes: 1 },
    [
      'group must be an API group',
      'timeoutMs must be a number from 1 to 3600000',
      'retry.retries must be a whole number from 0 to 100',
      'there is no option "retry.delayMs"',
      'maxFrameBytes must be a whole number from 1024 to 536870912',
    ],
  ],
  httpTransport: [
    (options) => client.httpTransport(merged({ server: 'https://localhost' }, options)),
    { tls: { cert: 'x', verify: false }, token: '', tokenFile: 'x', headers: { Host: 'x' }, proxyUrl: 'ftp://x' },
    [
      'tls.cert must be a text in PEM',
      'tls.cert and tls.key belong together',
      'there is no option "tls.verify"',
      'token must be a function or a non-empty string without spaces',
      'headers["Host"]: header names must be in lower case',
      'proxyUrl must be an http or https URL',
      'token, tokenFile and basicAuth exclude each other',
    ],
  ],
  kubeconfigTransport: [
    (options) => client.kubeconfigTransport(merged({ text: KUBECONFIG }, options)),
    { execTimeoutMs: 0, execPlugins: 'no', headers: { authorization: 'x' } },
    [
      'execTimeoutMs must be a number from 1 to 3600000',
      'execPlugins must be true or false',
      'headers["authorization"] is set by the transport',
    ],
  ],
  inClusterTransport: [
    (options) => client.inClusterTransport(options),
    { directory: '', maxConnections: 0 },
    ['directory must be a non-empty string', 'maxConnections must be a whole number from 1 to 65536'],
  ],
  defaultTransport: [
    (options) => client.defaultTransport(options),
    { http2: 1, keepAliveMs: -1 },
    ['http2 must be true or false', 'keepAliveMs must be a number from 1 to 600000'],
  ],
  createRecorder: [
    (options) =>
      client.createRecorder(
        merged({ events: { group: 'a', as: () => handler }, reportingController: 'example.com/shop' }, options),
      ),
    { refreshMs: 1, noteInKey: 'no', rateLimit: { perSecond: 0 }, regarding: { kind: 'Order' } },
    [
      'noteInKey must be true or false',
      'refreshMs must be a number from 100 to 3600000',
      'rateLimit must be false, or perSecond and burst above 0',
      'regarding needs a name',
    ],
  ],
  testRecorder: [
    (options) => testing.testRecorder(options),
    { invalid: 'ignore', namespace: 'A b' },
    ["invalid must be 'throw' or 'drop'", 'namespace must be a namespace'],
  ],
  call: [
    (options) => testing.call(handler, 'GET /', options),
    { headers: 'x', token: 5 },
    ['token must be a string', 'headers must be an object'],
  ],
  eventStoreSuite: [
    (options) => testing.eventStoreSuite(merged({ test: () => undefined, createStore: () => memoryStore() }, options)),
    { waitMs: 0, backup: 1 },
    ['backup must be a function', 'waitMs must be a number above 0'],
  ],
  fakeClock: [(options) => testing.fakeClock(options), { now: '5' }, ['now must be microseconds since the epoch']],
  sampleEvent: [
    (options) => testing.sampleEvent(options),
    { note: 1, labels: 'x' },
    ['note must be a string', 'labels must be an object'],
  ],
};

/** How a message about a value that is not an object begins, if it does not name the options of the function. */
const OTHER_SUBJECTS: Readonly<Record<string, string>> = {
  'health.add': 'health.add(): the options',
  allowRules: 'allowRules: rules[0]',
  staticTokens: 'staticTokens: token 1: caller',
};

/** Public functions that take no options. */
const WITHOUT = [
  ...[
    'allowAnonymous',
    'allowAuthenticated',
    'allowEverybody',
    'anyOf',
    'callerFrom',
    'clientCertificate',
    'firstAuthenticator',
  ],
  ...[
    'badCredential',
    'bodyAborted',
    'bodyTooLarge',
    'createEventStore',
    'createImpersonation',
    'firstOf',
    'postgresJsClient',
    'recordHealthChanges',
    'storeError',
  ],
  ...[
    'isBadCredential',
    'isBodyError',
    'isProbe',
    'isStoreError',
    'connectionError',
    'isConnectionError',
    'isResponseError',
  ],
  ...['isAlreadyExists', 'isConflict', 'isExpired', 'isForbidden', 'isInvalid', 'isNotFound', 'isStatusError'],
  ...['isTooManyRequests', 'isUnauthorized'],
];

/** What a call throws, or what its promise is rejected with. */
async function faultOf(call: Call, options: object): Promise<Error> {
  try {
    await call(options);
  } catch (error) {
    return error as Error;
  }
  return expect.unreachable('the options were accepted');
}

it('every function of every entry is in the table, or takes no options', () => {
  const bridges = [node, fetchEntry, fastifyEntry, honoEntry, koaEntry, nest, bridge];
  const stores = [sqlite, postgres, etcd, storeEntry];
  const entries = [main, health, checks, metrics, observers, lifecycle, ...bridges, ...stores, client, testing];
  const functions = entries.flatMap((entry) =>
    Object.entries(entry).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
  );
  const listed = Object.keys(FUNCTIONS).filter((name) => !name.includes('.'));
  expect([...new Set(functions)].sort()).toEqual([...listed, ...WITHOUT].sort());
});

describe.each(Object.entries(FUNCTIONS))('%s', (name, [call, wrong, faults]) => {
  const begins = new RegExp(`^${name.replace('health.add', 'health\\.add\\("a"\\)')}: `);

  it('refuses an unknown option', async () => {
    const error = await faultOf(call, { noSuchOption: 1 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(begins);
    expect(error.message).toMatch(
      /there is no option "([\w[\].]+\.)?noSuchOption" \(did you mean one of \w+(, \w+)*\?\)$/,
    );
  });

  it('lists every fault in one TypeError', async () => {
    const error = await faultOf(call, { ...wrong, noSuchOption: 1 });
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(begins);
    for (const fault of [...faults, 'there is no option "']) expect(error.message).toContain(fault);
  });

  it.each([[null], [5], [[]], [Promise.resolve({})]])('requires an object where it is given %j', async (nothing) => {
    const subject = OTHER_SUBJECTS[name] ?? `${name}: the options`;
    expect(await faultOf(call, nothing as never)).toEqual(new TypeError(`${subject} must be an object`));
  });

  it('treats undefined as absent', async () => {
    const optional = Object.fromEntries(Object.keys(wrong).map((key) => [key, undefined]));
    const needed = ['hooks', 'health', 'path', 'read', 'verbs'].filter((key) => key in optional);
    for (const key of needed) delete optional[key];
    await expect((async () => void (await call(optional)))()).resolves.toBeUndefined();
  });
});

describe.each<[string, (more: never) => Error]>([
  ['badCredential', (more) => main.badCredential('refused', more)],
  ['storeError', (more) => storeEntry.storeError('full', 'refused', more)],
])('the error of %s', (name, create) => {
  it.each([[undefined], [null], [5], [{}]])('has its message and no cause where %j is given instead of one', (more) => {
    const error = create(more as never);
    expect(error.message).toBe('refused');
    expect(error.name.toLowerCase()).toBe(name.toLowerCase());
    expect(error).not.toHaveProperty('cause');
  });

  it('has the cause that is given', () => {
    expect(create({ cause: 5 } as never)).toHaveProperty('cause', 5);
  });
});

it.each<[string, () => unknown]>([
  ['copyEvents', () => storeEntry.copyEvents(null as never, undefined as never)],
  ['resolveUnknownOutcomes', () => storeEntry.resolveUnknownOutcomes({} as never)],
  ['storeCheck', () => main.storeCheck(null as never)],
  ['toNodeListener', () => node.toNodeListener(undefined as never)],
  ['toFetchHandler', () => fetchEntry.toFetchHandler({} as never)],
  ['gracefulClose', () => node.gracefulClose(null as never)],
  ['orderRequests', () => node.orderRequests(null as never)],
  ['trackConnections', () => node.trackConnections(undefined as never)],
  ['postgresJsClient', () => postgres.postgresJsClient({} as never)],
  ['firstOf', () => main.firstOf()],
  ['call', () => testing.call(undefined as never, 'x')],
])('%s names an argument that is missing or of another kind', async (name, call) => {
  const error = await faultOf(call, {});
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toMatch(new RegExp(`^${name}: .*(must be|give)`));
});
