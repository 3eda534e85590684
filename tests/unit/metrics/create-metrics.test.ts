import fc from 'fast-check';
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  allowAuthenticated,
  createEvents,
  createHealth,
  createImpersonation,
  firstOf,
  memoryStore,
  staticTokens,
  type ApiHandler,
  type Events,
  type Observation,
} from '../../../src/index.js';
import { createRecorder } from '../../../src/client.js';
import { createMetrics } from '../../../src/metrics.js';
import type { MetricsOptions } from '../../../src/metrics.js';
import { MetricSet } from '../../../src/metrics/definitions.js';
import type { RequestObservation } from '../../../src/observe/observation.js';
import { storeError } from '../../../src/store/contract/errors.js';
import { createEventStore } from '../../../src/store/shell/create-event-store.js';
import { fakeClock, type FakeClock } from '../../../src/testing.js';
import { fakeServer } from '../client/recorder/fake-server.js';
import { settled } from '../events/bench.js';

const opened: Events[] = [];
afterEach(async () => {
  for (const events of opened.splice(0)) await events.close();
});

const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
const COLLECTION = '/apis/events.example.com/v1/namespaces/default/events';
const event = (name: string): object => ({
  metadata: { name },
  eventTime: '2026-03-05T06:07:08.123456Z',
  reportingController: 'example.com/tester',
  reportingInstance: 'tester-0',
  action: 'Testing',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Pod', namespace: 'default', name: 'web-1' },
});

function createService(options: MetricsOptions = {}): {
  readonly clock: FakeClock;
  readonly handle: ApiHandler;
  readonly health: ReturnType<typeof createHealth>;
  readonly send: (
    method: string,
    url: string,
    body?: object,
    signal?: AbortSignal,
  ) => Promise<{ status: number; text: string; body: unknown }>;
} {
  const clock = fakeClock();
  const metrics = createMetrics(options);
  const health = createHealth({ observe: metrics.observe, clock });
  const events = createEvents({
    apiDomain: 'example.com',
    store: memoryStore({ clock }),
    authenticate: staticTokens({ t: { name: 'ops' } }),
    authorize: allowAuthenticated(),
    observe: health.observe,
    clock,
  });
  opened.push(events);
  const handle = firstOf(health.handle, events.handle, metrics.handle);
  return {
    clock,
    handle,
    health,
    async send(method, url, body, signal) {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const response = await handle({ method, url, headers, body: () => Promise.resolve(bytes), signal });
      const content = response?.body;
      return {
        status: response?.status ?? 0,
        text:
          typeof content === 'string'
            ? content
            : content instanceof Uint8Array
              ? new TextDecoder().decode(content)
              : '',
        body: content,
      };
    },
  };
}

/** The value of a sample, by the text before it. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

describe('/metrics', () => {
  it('counts requests with the names and labels of kube-apiserver', async () => {
    const { send } = createService();
    await send('POST', COLLECTION, event('a'));
    await send('POST', `${COLLECTION}?dryRun=All`, event('b'));
    await send('GET', `${COLLECTION}/a`);
    await send('GET', `${COLLECTION}/a`);
    await send('GET', `${COLLECTION}/none`);
    await send('GET', COLLECTION);
    await send('GET', '/apis/events.example.com/v1/events');
    await send('GET', '/apis');
    const { status, text } = await send('GET', '/metrics');
    expect(status).toBe(200);
    const labels = (verb: string, scope: string, dryRun = ''): string =>
      `verb="${verb}",dry_run="${dryRun}",group="events.example.com",version="v1",resource="events",subresource="",scope="${scope}",component="apiserver"`;
    expect(valueOf(text, `apiserver_request_total{${labels('POST', 'resource')},code="201"}`)).toBe(1);
    expect(valueOf(text, `apiserver_request_total{${labels('POST', 'resource', 'All')},code="201"}`)).toBe(1);
    expect(valueOf(text, `apiserver_request_total{${labels('GET', 'resource')},code="200"}`)).toBe(2);
    expect(valueOf(text, `apiserver_request_total{${labels('GET', 'resource')},code="404"}`)).toBe(1);
    expect(valueOf(text, `apiserver_request_total{${labels('LIST', 'namespace')},code="200"}`)).toBe(1);
    expect(valueOf(text, `apiserver_request_total{${labels('LIST', 'cluster')},code="200"}`)).toBe(1);
    expect(valueOf(text, `apiserver_request_duration_seconds_count{${labels('GET', 'resource')}}`)).toBe(3);
    expect(valueOf(text, `apiserver_request_duration_seconds_bucket{le="0.005",${labels('GET', 'resource')}}`)).toBe(3);
    expect(text).toMatch(/^apiserver_response_sizes_sum\{verb="GET",group="events.example.com".*\} [1-9]\d{2,}$/m);
    expect(text).toMatch(/^# TYPE apiserver_request_duration_seconds histogram$/m);
  });

  it('has the results of health checks from their first verdict on, for every probe', async () => {
    const { send, health } = createService();
    let up = true;
    health.add({ name: 'database', check: () => up });
    health.add({ name: 'mail', check: () => false, critical: false });
    await send('GET', '/readyz');
    up = false;
    await send('GET', '/readyz');
    await send('GET', '/livez?exclude=ping');
    for (const path of ['/metrics', '/metrics/slis']) {
      const { text } = await send('GET', path);
      expect(valueOf(text, 'kubernetes_healthcheck{name="database",type="readyz"}')).toBe(0);
      expect(valueOf(text, 'kubernetes_healthcheck{name="mail",type="readyz"}')).toBe(1);
      expect(valueOf(text, 'kubernetes_healthchecks_total{name="database",type="readyz",status="success"}')).toBe(1);
      expect(valueOf(text, 'kubernetes_healthchecks_total{name="database",type="readyz",status="error"}')).toBe(1);
      expect(valueOf(text, 'kubernetes_healthcheck{name="log",type="livez"}')).toBe(1);
      expect(text).not.toContain('name="ping",type="livez"');
    }
    expect((await send('GET', '/metrics/slis')).text).not.toContain('apiserver_');
  });

  it('has no last result of a check that was removed, until it is added again', async () => {
    const { send, health } = createService();
    const sample = 'kubernetes_healthcheck{name="database",type="readyz"}';
    const database = { name: 'database', check: () => false };
    health.add(database);
    await send('GET', '/readyz');
    expect(health.remove('database')).toBe(true);
    await send('GET', '/readyz');
    expect((await send('GET', '/metrics')).text).not.toContain(sample);
    health.add(database);
    await send('GET', '/readyz');
    expect(valueOf((await send('GET', '/metrics')).text, sample)).toBe(0);
    health.add({ name: 'mail', check: () => true });
    await send('GET', '/readyz');
    const results = 'kubernetes_healthchecks_total{name="database",type="readyz",status="error"}';
    expect(valueOf((await send('GET', '/metrics')).text, results)).toBe(2);
  });

  it('has no result of a removed check after the probe that follows one which waited for it', async () => {
    const { send, health } = createService();
    const sample = 'kubernetes_healthcheck{name="database",type="readyz"}';
    let fail: (error: Error) => void = () => undefined;
    health.add({ name: 'database', check: () => new Promise<never>((_, reject) => (fail = reject)) });
    const probe = send('GET', '/readyz');
    await new Promise((resolve) => setImmediate(resolve));
    health.remove('database');
    await send('GET', '/readyz');
    fail(new Error('down'));
    await probe;
    await send('GET', '/readyz');
    expect((await send('GET', '/metrics')).text).not.toContain(sample);
  });

  it('has the results of a check of another health object when one of the same name was removed', async () => {
    const { send, health } = createService();
    const other = createHealth({ observe: health.observe });
    for (const each of [health, other]) each.add({ name: 'database', check: () => true });
    const probe = (): unknown => other.handle({ method: 'GET', url: '/readyz', headers: {} });
    await probe();
    await probe();
    health.remove('database');
    await probe();
    const sample = 'kubernetes_healthcheck{name="database",type="readyz"}';
    expect(valueOf((await send('GET', '/metrics')).text, sample)).toBe(1);
  });

  it('follows watches: how many are open, what they are sent, and how they end', async () => {
    const { send, clock } = createService();
    const leaving = new AbortController();
    const { body } = await send('GET', `${COLLECTION}?watch=1&resourceVersion=0`, undefined, leaving.signal);
    const frames = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const first = frames.next();
    const open =
      'apiserver_longrunning_requests{verb="WATCH",group="events.example.com",version="v1",resource="events",subresource="",scope="namespace",component="apiserver"}';
    expect(valueOf((await send('GET', '/metrics')).text, open)).toBe(1);
    await send('POST', COLLECTION, event('a'));
    const bytes = ((await first).value as Uint8Array).byteLength;
    clock.advance(1_000);
    const during = (await send('GET', '/metrics')).text;
    const labels = '{group="events.example.com",version="v1",resource="events"}';
    expect(valueOf(during, `apiserver_watch_events_total${labels}`)).toBe(1);
    expect(valueOf(during, `kube_vitals_watch_sent_bytes_total${labels}`)).toBe(bytes);
    expect(valueOf(during, 'kube_vitals_feed_changes_total{store="memory"}')).toBe(1);
    expect(valueOf(during, 'kube_vitals_ring_changes')).toBe(1);
    expect(valueOf(during, 'apiserver_current_inflight_requests{request_kind="mutating"}')).toBe(1);
    leaving.abort(Object.assign(new Error('left'), { code: 'client-left' }));
    await frames.return?.();
    clock.advance(1_000);
    clock.advance(1_000);
    const { text } = await send('GET', '/metrics');
    expect(valueOf(text, open)).toBe(0);
    expect(valueOf(text, 'kube_vitals_watch_ends_total{reason="client-left"}')).toBe(1);
    expect(valueOf(text, 'apiserver_current_inflight_requests{request_kind="mutating"}')).toBe(0);
  });

  it('counts a server-side apply with the verb APPLY, and other patches as PATCH', async () => {
    const { handle, send } = createService();
    for (const type of ['apply-patch+yaml', 'merge-patch+json', 'json-patch+json']) {
      const typed = { ...headers, 'content-type': `application/${type}` };
      await handle({ method: 'PATCH', url: `${COLLECTION}/a`, headers: typed, body: () => Promise.resolve('{}') });
    }
    const { text } = await send('GET', '/metrics');
    const sumOf = (verb: string): number =>
      [...text.matchAll(new RegExp(`^apiserver_request_total\\{verb="${verb}",.* (\\d+)$`, 'gm'))]
        .map(([, count]) => Number(count))
        .reduce((sum, count) => sum + count, 0);
    expect([sumOf('APPLY'), sumOf('PATCH')]).toEqual([1, 2]);
  });

  it('has bounded labels, whatever clients send', async () => {
    const { send } = createService();
    const part = fc.string({ unit: 'binary', maxLength: 20 }).map(encodeURIComponent);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), fc.stringMatching(/^[A-Z]{1,12}$/)),
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom(
          '',
          '/apis',
          '/api/v1',
          '/apis/events.example.com',
          '/apis/events.example.com/v1',
          COLLECTION,
          '/readyz',
        ),
        fc.record({ watch: fc.constantFrom('', 'x'), dryRun: part, fieldSelector: part }, { requiredKeys: [] }),
        async (method, parts, root, query) => {
          const url = `${[root, ...parts].join('/')}?${new URLSearchParams(query as Record<string, string>).toString()}`;
          const { body } = await send(method, url, { a: 1 });
          // A watch would hold a place in flight that later requests need.
          if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) {
            await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
          }
        },
      ),
      { numRuns: 500 },
    );
    const { text } = await send('GET', '/metrics');
    const values = new Map<string, Set<string>>();
    for (const [, name = '', value = ''] of text.matchAll(/[{,](\w+)="([^"]*)"/g)) {
      values.set(name, (values.get(name) ?? new Set()).add(value));
    }
    expect([...(values.get('group') ?? [])].sort()).toEqual(['', 'events.example.com']);
    expect([...(values.get('resource') ?? [])].sort()).toEqual(['', 'events']);
    expect([...(values.get('version') ?? [])].sort()).toEqual(['', 'v1']);
    const verbs = [
      'DELETE',
      'DELETECOLLECTION',
      'GET',
      'HEAD',
      'LIST',
      'OPTIONS',
      'PATCH',
      'POST',
      'PUT',
      'WATCH',
      'other',
    ];
    expect(verbs).toEqual(expect.arrayContaining([...(values.get('verb') ?? [])]));
    expect(['', 'All', 'invalid']).toEqual(expect.arrayContaining([...(values.get('dry_run') ?? [])]));
    for (const code of values.get('code') ?? []) expect(code).toMatch(/^[2-5]\d\d$/);
    expect(text.split('\n').length).toBeLessThan(3_000);
  });

  it('has at most 1,000 series of one metric, and counts further ones as other', async () => {
    const { send, health } = createService();
    for (let n = 0; n < 1_100; n++) health.add({ name: `check-${n}`, check: () => true, endpoints: ['readyz'] });
    await send('GET', '/readyz');
    const { text } = await send('GET', '/metrics/slis');
    expect(text.match(/^kubernetes_healthchecks_total\{/gm)?.length).toBe(1_001);
    expect(text).toContain('kubernetes_healthchecks_total{name="other",type="other",status="other"} 103');
    health.add({ name: 'one-more', check: () => true, endpoints: ['readyz'] });
    await send('GET', '/readyz');
    const later = (await send('GET', '/metrics/slis')).text;
    expect(later).toContain('kubernetes_healthchecks_total{name="check-0",type="readyz",status="success"} 2');
    expect(later).toContain('kubernetes_healthchecks_total{name="other",type="other",status="other"} 207');
  });

  it('has the results of a check however many others were added and removed before', async () => {
    const { send, health } = createService();
    let passes = true;
    for (let n = 0; n < 1_100; n++) {
      health.add({ name: `tenant-${n}`, check: () => passes, cacheMs: 0 });
      await send('GET', '/readyz');
      passes = !passes;
      await send('GET', '/readyz');
      health.remove(`tenant-${n}`);
    }
    health.add({ name: 'database', check: () => false });
    await send('GET', '/readyz');
    const { text } = await send('GET', '/metrics');
    expect(text).toContain('\nkubernetes_healthcheck{name="database",type="readyz"} 0\n');
    expect(text).toContain('\nkubernetes_healthchecks_total{name="database",type="readyz",status="error"} 1\n');
    expect(text).toContain('\nkube_vitals_check_changes_total{name="database",status="failed"} 1\n');
    expect(text).not.toContain('tenant-');
  });

  it('goes into the registry that the service has, and prints all of it', async () => {
    const registry = new Registry();
    const { send } = createService({ registry });
    await send('GET', '/readyz');
    expect(await registry.metrics()).toContain('kubernetes_healthcheck{name="ping",type="readyz"} 1');
    expect(() => createMetrics({ registry })).toThrow(
      new TypeError(
        'createMetrics: the registry already has a metric kubernetes_healthcheck: call createMetrics once for each registry',
      ),
    );
    registry.resetMetrics();
    expect((await send('GET', '/metrics')).text).not.toContain('_total{name="ping"');
  });

  it.each([
    ['/metrics/slis', '/metrics', '/metrics/slis'],
    ['/metrics', '/metrics/slis'],
  ])('prints OpenMetrics at %s, then %s', async (...paths) => {
    const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const { send } = createService({ registry });
    await send('GET', '/readyz');
    for (const path of paths) {
      const { status, text } = await send('GET', path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('# TYPE kubernetes_healthchecks counter\n');
      expect(valueOf(text, 'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"}')).toBe(1);
      expect(text).toMatch(/\n# EOF\n$/);
    }
  });

  it('leaves a registry unchanged that has another metric of one of its names', () => {
    const registry = new Registry();
    const own = new Gauge({ name: 'kube_vitals_ring_bytes', help: 'of the service', registers: [registry] });
    expect(() => createMetrics({ registry })).toThrow(/already has a metric kube_vitals_ring_bytes/);
    expect(registry.getMetricsAsArray()).toEqual([own]);
  });

  it('keeps the values of gauges when the registry of the service is reset: open watches do not fall below zero', async () => {
    const registry = new Registry();
    const { send } = createService({ registry });
    const open = 'apiserver_longrunning_requests{verb="WATCH"';
    const count = async (): Promise<string | undefined> =>
      (await registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(open))
        ?.split(' ')
        .at(-1);
    const leaving = new AbortController();
    const { body } = await send('GET', `${COLLECTION}?watch=1&resourceVersion=0`, undefined, leaving.signal);
    const frames = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const first = frames.next();
    registry.resetMetrics();
    expect(await count()).toBe('1');
    leaving.abort(Object.assign(new Error('left'), { code: 'client-left' }));
    await first.catch(() => undefined);
    await frames.return?.();
    expect(await count()).toBe('0');
  });

  it('has gauges of which those of several workers make sense together: a check passes if it passes in each', async () => {
    const workers = [];
    for (const passes of [true, false]) {
      const registry = new Registry();
      const { send, health } = createService({ registry });
      health.add({ name: 'database', check: () => passes });
      await send('GET', '/readyz');
      workers.push(await registry.getMetricsAsJSON());
    }
    const text = await AggregatorRegistry.aggregate(workers).metrics();
    const values = ['ping', 'database'].map((name) =>
      valueOf(text, `kubernetes_healthcheck{name="${name}",type="readyz"}`),
    );
    expect(values).toEqual([1, 0]);
    expect(valueOf(text, 'kubernetes_healthchecks_total{name="ping",type="readyz",status="success"}')).toBe(2);
  });

  it('counts on from zero when the registry of the service was reset', async () => {
    const registry = new Registry();
    const { send, health } = createService({ registry });
    const twice = async (): Promise<void> => {
      for (let n = 0; n < 2; n++) {
        await send('GET', '/readyz');
        await send('GET', COLLECTION);
      }
    };
    await twice();
    registry.resetMetrics();
    await twice();
    const text = await registry.metrics();
    expect(text).toContain('kubernetes_healthcheck{name="ping",type="readyz"} 1');
    expect(text).toContain('kubernetes_healthchecks_total{name="ping",type="readyz",status="success"} 2');
    expect(text).toMatch(/^apiserver_request_total\{verb="LIST",.*\} 2$/m);
    health.startShutdown();
    await send('GET', '/readyz');
    expect(await registry.metrics()).toContain('kubernetes_healthcheck{name="shutdown",type="readyz"} 0');
  });

  it('has metrics of the process on request', async () => {
    expect((await createService({ processMetrics: true }).send('GET', '/metrics')).text).toContain(
      'process_cpu_seconds_total',
    );
    expect((await createService().send('GET', '/metrics')).text).not.toContain('process_cpu_seconds_total');
  });

  it('requires the permission of the hooks where there are any, with the attributes of kube-apiserver', async () => {
    const asked: unknown[] = [];
    const { handle } = createService({
      authenticate: staticTokens({ t: { name: 'prometheus' } }),
      authorize: (caller, attributes) => {
        asked.push({ name: caller.name, ...attributes });
        return { allowed: 'path' in attributes && attributes.path === '/metrics' };
      },
    });
    const get = async (url: string, authorization?: string): Promise<number | undefined> =>
      (
        await handle({
          method: 'GET',
          url,
          headers: authorization ? { authorization } : {},
          body: () => Promise.reject(new Error()),
        })
      )?.status;
    expect(await get('/metrics')).toBe(401);
    expect(await get('/metrics', 'Bearer t')).toBe(200);
    expect(await get('/metrics/slis', 'Bearer t')).toBe(403);
    expect(asked).toEqual([
      { name: 'prometheus', verb: 'get', path: '/metrics' },
      { name: 'prometheus', verb: 'get', path: '/metrics/slis' },
    ]);
  });

  it('refuses impersonation unless the option impersonation enables it', async () => {
    const hooks = { authenticate: staticTokens({ t: { name: 'root' } }), authorize: allowAuthenticated() };
    const get = async (options: MetricsOptions): Promise<number | undefined> => {
      const asked = { authorization: 'Bearer t', 'impersonate-user': 'prometheus' };
      return (await createMetrics({ ...hooks, ...options }).handle({ method: 'GET', url: '/metrics', headers: asked }))
        ?.status;
    };
    expect(await get({})).toBe(403);
    expect(await get({ impersonation: createImpersonation })).toBe(200);
  });

  it('reports a failing hook as one of the metrics', async () => {
    const seen: Observation[] = [];
    const error = new Error('the review service is down');
    const { handle } = createMetrics({
      authenticate: () => Promise.reject(error),
      authorize: allowAuthenticated(),
      observe: (observation) => void seen.push(observation),
    });
    expect((await handle({ method: 'GET', url: '/metrics', headers: {} }))?.status).toBe(401);
    expect(seen).toEqual([{ type: 'error', error, where: 'metrics: authenticate' }]);
  });

  it('is printed once for all requests of one turn of the event loop, after their permission', async () => {
    const registry = new Registry();
    let prints = 0;
    new Gauge({ name: 'prints', help: 'How often.', registers: [registry], collect: () => void (prints += 1) });
    const { send } = createService({
      registry,
      authenticate: staticTokens({ t: { name: 'ops' } }),
      authorize: async () => ({ allowed: true }),
    });
    const responses = await Promise.all(Array.from({ length: 50 }, () => send('GET', '/metrics')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(prints).toBe(1);
    await send('GET', '/metrics');
    expect(prints).toBe(2);
  });

  it('serves GET and HEAD, and no other path', async () => {
    const { handle, send } = createService();
    const ask = { headers: {}, body: () => Promise.reject(new Error()) };
    expect(await handle({ method: 'HEAD', url: '/metrics', ...ask })).toMatchObject({ status: 200, body: null });
    expect((await send('POST', '/metrics')).status).toBe(405);
    for (const url of ['/metrics/', '/metricsx', '/metrics/slis/x', '/']) {
      expect(await handle({ method: 'GET', url, ...ask }), url).toBeUndefined();
    }
  });
});

describe('the observer of metrics', () => {
  it('passes everything on to the observer of the service', () => {
    const seen: Observation[] = [];
    const { observe } = createMetrics({ observe: (observation) => void seen.push(observation) });
    const observation: Observation = { type: 'error', error: new Error('x'), where: 'here' };
    void observe(observation);
    expect(seen).toEqual([observation]);
  });

  it('counts calls of the store, their failures and what expires', async () => {
    const registry = new Registry();
    const clock = fakeClock();
    const metrics = createMetrics({ registry });
    const engine = memoryStore({ clock });
    // Without the synchronous forms, as stores behind a network are.
    const store = createEventStore({
      ...(engine as unknown as Parameters<typeof createEventStore>[0]),
      name: 'remote',
      feed: () => ({ take: () => undefined }),
      get: async ({ name }) => {
        if (name === 'b') throw storeError('unavailable', 'the store is away');
        return undefined;
      },
      expire: async ({ now, limit }) => engine.expire({ now, limit }),
    });
    const events = createEvents({
      apiDomain: 'example.com',
      store,
      authenticate: staticTokens({ t: { name: 'ops' } }),
      authorize: allowAuthenticated(),
      observe: metrics.observe,
      clock,
    });
    opened.push(events);
    const ask = async (method: string, url: string, body: object = {}): Promise<number | undefined> => {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      return (await events.handle({ method, url, headers, body: () => Promise.resolve(bytes) }))?.status;
    };
    expect(await ask('GET', `${COLLECTION}/a`)).toBe(404);
    expect(await ask('GET', `${COLLECTION}/b`)).toBe(503);
    for (const name of ['c', 'd']) expect(await ask('POST', COLLECTION, event(name))).toBe(201);
    clock.advance(3_600_000);
    await settled();
    clock.advance(1_000);
    await settled();
    const text = await registry.metrics();
    const calls = (operation: string): number | undefined =>
      valueOf(text, `kube_vitals_store_call_duration_seconds_count{store="remote",operation="${operation}"}`);
    expect([calls('get'), calls('create')]).toEqual([2, 2]);
    expect(text.match(/^kube_vitals_store_call_failures_total\{.*$/gm)).toEqual([
      'kube_vitals_store_call_failures_total{store="remote",operation="get",code="unavailable"} 1',
    ]);
    expect(valueOf(text, 'kube_vitals_expired_events_total{store="remote"}')).toBe(2);
  });

  it('is refused with options that contradict each other', () => {
    expect(() => createMetrics({ registry: new Registry(), processMetrics: true })).toThrow(TypeError);
    expect(() => createMetrics({ registry: {} as never })).toThrow(/a Registry of prom-client/);
    expect(() => createMetrics({ authenticate: staticTokens({ t: { name: 'a' } }) })).toThrow(/go together/);
  });
});

describe('recorders', () => {
  it('are counted by reporting controller, with drops by reason', async () => {
    const clock = fakeClock();
    const metrics = createMetrics();
    const { client } = fakeServer();
    const options = { reportingController: 'example.com/shop', observe: metrics.observe, clock };
    const recorder = createRecorder({ events: client, ...options });
    for (let count = 0; count < 5; count++) recorder.event({ reason: 'Paid', action: 'Charge' });
    recorder.event({} as never);
    recorder.event({} as never);
    await recorder.close();
    const { body } = (await metrics.handle({ method: 'GET', url: '/metrics' })) ?? {};
    for (const line of [
      'kube_vitals_recorder_events_total{recorder="example.com/shop",state="recorded"} 7',
      'kube_vitals_recorder_events_total{recorder="example.com/shop",state="written"} 5',
      'kube_vitals_recorder_drops_total{recorder="example.com/shop",reason="invalid"} 2',
      'kube_vitals_recorder_pending_events{recorder="example.com/shop"} 0',
      'kube_vitals_recorder_queued_requests{recorder="example.com/shop"} 0',
    ])
      expect(String(body).split('\n')).toContain(line);
  });
});

/** All samples but those of buckets, by name and labels. */
async function samplesOf(observations: readonly Observation[]): Promise<Record<string, number>> {
  const registry = new Registry();
  const { observe } = createMetrics({ registry, observe: () => undefined });
  for (const observation of observations) void observe(observation);
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !/^#|_bucket\{/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

const answered = (status: number, more: Partial<RequestObservation> = {}): Observation => ({
  type: 'request',
  verb: 'get',
  status,
  durationMs: 500,
  auditId: 'a',
  url: '/',
  group: 'g',
  version: 'v1',
  resource: 'events',
  namespace: 'default',
  scope: 'resource',
  dryRun: '',
  ...more,
});
const watch = { caller: 'ops', group: 'g', version: 'v1', namespace: 'default', scope: 'namespace' } as const;
const called = (outcome: string): Observation => ({
  type: 'store',
  store: 's',
  operation: 'get',
  outcome,
  durationMs: 250,
});
const cache = (state: 'filling' | 'ready' | 'stale' | 'full', events: number): Observation => ({
  type: 'cache.changed',
  store: 's',
  state,
  events,
  bytes: events * 100,
});
const waited = (outcome: 'cache' | 'store' | 'failed'): Observation => ({
  type: 'cache.waited',
  store: 's',
  durationMs: 125,
  outcome,
});

const EVENTS_V1 = 'group="g",version="v1",resource="events"';
const ONE_EVENT = `${EVENTS_V1},subresource="",scope="resource",component="apiserver"`;
const NAMESPACE = `${EVENTS_V1},subresource="",scope="namespace",component="apiserver"`;

const OBSERVATIONS: readonly [string, readonly Observation[], Readonly<Record<string, number>>][] = [
  [
    'requests',
    [
      answered(200, { responseBytes: 2_000 }),
      answered(429, { responseBytes: 1_000 }),
      answered(504),
      answered(201, { verb: 'create', dryRun: 'All', responseBytes: 500 }),
      answered(405, { verb: 'brew' }),
    ],
    {
      [`apiserver_request_total{verb="GET",dry_run="",${ONE_EVENT},code="200"}`]: 1,
      [`apiserver_request_total{verb="GET",dry_run="",${ONE_EVENT},code="429"}`]: 1,
      [`apiserver_request_total{verb="GET",dry_run="",${ONE_EVENT},code="504"}`]: 1,
      [`apiserver_request_total{verb="POST",dry_run="All",${ONE_EVENT},code="201"}`]: 1,
      [`apiserver_request_total{verb="other",dry_run="",${ONE_EVENT},code="405"}`]: 1,
      [`apiserver_request_duration_seconds_sum{verb="GET",dry_run="",${ONE_EVENT}}`]: 1.5,
      [`apiserver_request_duration_seconds_count{verb="GET",dry_run="",${ONE_EVENT}}`]: 3,
      [`apiserver_request_duration_seconds_sum{verb="POST",dry_run="All",${ONE_EVENT}}`]: 0.5,
      [`apiserver_request_duration_seconds_count{verb="POST",dry_run="All",${ONE_EVENT}}`]: 1,
      [`apiserver_request_duration_seconds_sum{verb="other",dry_run="",${ONE_EVENT}}`]: 0.5,
      [`apiserver_request_duration_seconds_count{verb="other",dry_run="",${ONE_EVENT}}`]: 1,
      [`apiserver_response_sizes_sum{verb="GET",${ONE_EVENT}}`]: 3_000,
      [`apiserver_response_sizes_count{verb="GET",${ONE_EVENT}}`]: 2,
      [`apiserver_request_terminations_total{verb="GET",${ONE_EVENT},code="429"}`]: 1,
      [`apiserver_request_terminations_total{verb="GET",${ONE_EVENT},code="504"}`]: 1,
    },
  ],
  [
    'probes',
    [
      {
        type: 'health.probed',
        root: 'readyz',
        checks: [
          { name: 'db', status: 'failed' },
          { name: 'mail', status: 'degraded' },
        ],
      },
    ],
    {
      'kubernetes_healthcheck{name="db",type="readyz"}': 0,
      'kubernetes_healthcheck{name="mail",type="readyz"}': 1,
      'kubernetes_healthchecks_total{name="db",type="readyz",status="error"}': 1,
      'kubernetes_healthchecks_total{name="mail",type="readyz",status="success"}': 1,
    },
  ],
  [
    'changes of checks',
    [
      { type: 'health.changed', check: 'db', status: 'failed', reason: 'away' },
      { type: 'health.changed', check: 'db', status: 'ok' },
      { type: 'health.changed', check: 'db', status: 'failed', reason: 'away' },
    ],
    {
      'kube_vitals_check_changes_total{name="db",status="failed"}': 2,
      'kube_vitals_check_changes_total{name="db",status="ok"}': 1,
    },
  ],
  [
    'watches',
    [
      { type: 'watch.started', ...watch },
      { type: 'watch.started', ...watch },
      { type: 'watch.ended', ...watch, reason: 'timeout', frames: 1, bytes: 10, durationMs: 100 },
    ],
    {
      [`apiserver_longrunning_requests{verb="WATCH",${NAMESPACE}}`]: 1,
      'kube_vitals_watch_ends_total{reason="timeout"}': 1,
    },
  ],
  [
    'activity',
    [
      {
        type: 'activity',
        inFlight: { read: 3, write: 2, watch: 9 },
        sent: [{ group: 'g', version: 'v1', frames: 4, bytes: 400 }],
        ring: { changes: 5, bytes: 600, maxBytes: 1_000 },
      },
    ],
    {
      'apiserver_current_inflight_requests{request_kind="readOnly"}': 3,
      'apiserver_current_inflight_requests{request_kind="mutating"}': 2,
      [`apiserver_watch_events_total{${EVENTS_V1}}`]: 4,
      [`kube_vitals_watch_sent_bytes_total{${EVENTS_V1}}`]: 400,
      kube_vitals_ring_bytes: 600,
      kube_vitals_ring_changes: 5,
    },
  ],
  [
    'calls of the store',
    [called('ok'), called('unavailable'), called('unavailable')],
    {
      'kube_vitals_store_call_duration_seconds_sum{store="s",operation="get"}': 0.75,
      'kube_vitals_store_call_duration_seconds_count{store="s",operation="get"}': 3,
      'kube_vitals_store_call_failures_total{store="s",operation="get",code="unavailable"}': 2,
    },
  ],
  [
    'changes that the feed delivered, of which some were written by this process',
    [
      { type: 'feed', store: 's', changes: 3 },
      { type: 'feed', store: 's', changes: 2, lagMs: 750 },
    ],
    {
      'kube_vitals_feed_batches_total{store="s"}': 2,
      'kube_vitals_feed_changes_total{store="s"}': 5,
      'kube_vitals_feed_lag_seconds_sum{store="s"}': 0.75,
      'kube_vitals_feed_lag_seconds_count{store="s"}': 1,
    },
  ],
  [
    'a watch cache that is filled once, and is stale for a while',
    [cache('filling', 0), cache('ready', 4), cache('stale', 4), cache('ready', 6)],
    {
      'apiserver_watch_cache_initializations_total{store="s",resource="events"}': 1,
      'kube_vitals_watch_cache_ready{store="s"}': 1,
      'kube_vitals_watch_cache_events{store="s"}': 6,
      'kube_vitals_watch_cache_bytes{store="s"}': 600,
    },
  ],
  [
    'a watch cache that was not filled because it is too small',
    [cache('filling', 0), cache('full', 7), cache('ready', 5), cache('stale', 5)],
    {
      'kube_vitals_watch_cache_ready{store="s"}': 0,
      'kube_vitals_watch_cache_events{store="s"}': 5,
      'kube_vitals_watch_cache_bytes{store="s"}': 500,
    },
  ],
  [
    'the activity of a watch cache',
    [
      { type: 'cache.activity', store: 's', changes: 2, events: 8, bytes: 900, lagMs: 1_500, revision: 42 },
      { type: 'cache.activity', store: 's', changes: 3, events: 9, bytes: 950, lagMs: 500 },
    ],
    {
      'apiserver_watch_cache_events_received_total{store="s",resource="events"}': 5,
      'apiserver_watch_cache_resource_version{store="s",resource="events"}': 42,
      'kube_vitals_watch_cache_events{store="s"}': 9,
      'kube_vitals_watch_cache_bytes{store="s"}': 950,
      'kube_vitals_watch_cache_lag_seconds{store="s"}': 0.5,
    },
  ],
  [
    'reads that waited for the watch cache',
    [waited('cache'), waited('store'), waited('failed')],
    {
      'apiserver_watch_cache_read_wait_seconds_sum{store="s",resource="events"}': 0.375,
      'apiserver_watch_cache_read_wait_seconds_count{store="s",resource="events"}': 3,
      'apiserver_watch_cache_consistent_read_total{store="s",resource="events",success="true",fallback="false"}': 1,
      'apiserver_watch_cache_consistent_read_total{store="s",resource="events",success="true",fallback="true"}': 1,
      'apiserver_watch_cache_consistent_read_total{store="s",resource="events",success="false",fallback="false"}': 1,
    },
  ],
  [
    'expired events',
    [
      { type: 'expired', store: 's', removed: 3 },
      { type: 'expired', store: 's', removed: 4 },
    ],
    { 'kube_vitals_expired_events_total{store="s"}': 7 },
  ],
  [
    'the activity of a recorder',
    [
      { type: 'recorder.activity', recorder: 'r', recorded: 5, written: 2, pending: 3, queued: 1 },
      { type: 'recorder.activity', recorder: 'r', recorded: 1, written: 3, pending: 1, queued: 2 },
    ],
    {
      'kube_vitals_recorder_events_total{recorder="r",state="recorded"}': 6,
      'kube_vitals_recorder_events_total{recorder="r",state="written"}': 5,
      'kube_vitals_recorder_pending_events{recorder="r"}': 1,
      'kube_vitals_recorder_queued_requests{recorder="r"}': 2,
    },
  ],
  [
    'dropped events of a recorder',
    [{ type: 'recorder.dropped', recorder: 'r', reason: 'full', count: 6, error: new Error('full') }],
    { 'kube_vitals_recorder_drops_total{recorder="r",reason="full"}': 6 },
  ],
  [
    'unexpected errors',
    [
      { type: 'error', error: new Error('x'), where: 'events' },
      { type: 'error', error: new Error('y'), where: 'events', count: 3 },
    ],
    { 'kube_vitals_errors_total{where="events"}': 2 },
  ],
  [
    'observations without a metric',
    [
      { type: 'health.failed', root: 'readyz', failures: [{ name: 'db', reason: 'away' }] },
      { type: 'recovered', where: 'events', error: new Error('x'), count: 3, durationMs: 100 },
    ],
    {},
  ],
];

describe('the samples', () => {
  it.each(OBSERVATIONS)('of %s are exactly these', async (_, observations, samples) => {
    expect(await samplesOf(observations)).toEqual(samples);
  });

  it('of requests of one verb are apart where a single label differs', async () => {
    const others = [
      { group: 'h' },
      { version: 'v2' },
      { resource: 'x' },
      { scope: 'cluster' },
      { dryRun: 'All' },
    ] as const;
    const requests = others.flatMap((other) => [answered(200), answered(200, other)]);
    const counts = Object.entries(await samplesOf(requests)).filter(([name]) =>
      name.startsWith('apiserver_request_total'),
    );
    expect(counts.map(([, count]) => count)).toEqual([5, 1, 1, 1, 1, 1]);
  });

  it.each([
    ['get', 'GET'],
    ['list', 'LIST'],
    ['create', 'POST'],
    ['post', 'POST'],
    ['update', 'PUT'],
    ['put', 'PUT'],
    ['patch', 'PATCH'],
    ['delete', 'DELETE'],
    ['deletecollection', 'DELETECOLLECTION'],
    ['head', 'HEAD'],
    ['options', 'OPTIONS'],
  ])('of the verb %s have the label of kube-apiserver, %s', async (verb, label) => {
    const samples = await samplesOf([answered(200, { verb })]);
    expect(samples).toMatchObject({
      [`apiserver_request_total{verb="${label}",dry_run="",${ONE_EVENT},code="200"}`]: 1,
    });
  });

  it('are of metrics with a help text each, and no two with the same', () => {
    const texts = Object.values(new MetricSet()).map(({ help }) => help);
    for (const text of texts) expect(text).toMatch(/^[A-Z].*\.$/);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('above are of every metric', () => {
    const seen = OBSERVATIONS.flatMap(([, , samples]) => Object.keys(samples)).map((sample) => sample.split('{')[0]);
    const names = Object.values(new MetricSet()).map(({ name, type }) => (type === 'histogram' ? `${name}_sum` : name));
    expect(names.filter((name) => !seen.includes(name))).toEqual([]);
  });
});

describe('the buckets', () => {
  /** Upper bounds in seconds, as in `pkg/endpoints/metrics` of kube-apiserver. */
  const DURATION = [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
  ];
  /** As in its `pkg/storage/cacher/metrics`. */
  const CACHE_WAIT = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];

  /** The values of `le` of a metric, in the order in which they are printed. */
  async function boundsOf(name: string): Promise<number[]> {
    const registry = new Registry();
    const { observe } = createMetrics({ registry });
    void observe(answered(200, { responseBytes: 1 }));
    void observe(waited('cache'));
    const text = await registry.metrics();
    return [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]*)"`, 'gm'))].map(([, le]) =>
      Number(le?.replace('+Inf', 'Infinity')),
    );
  }

  it.each([
    ['apiserver_request_duration_seconds', [...DURATION, Infinity]],
    ['apiserver_response_sizes', [1_000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9, Infinity]],
  ])('of %s are those of kube-apiserver', async (name, bounds) => {
    expect(await boundsOf(name)).toEqual(bounds);
  });

  it('of waits for the watch cache are those of kube-apiserver, one below and three above', async () => {
    expect(await boundsOf('apiserver_watch_cache_read_wait_seconds')).toEqual([
      0.001,
      ...CACHE_WAIT,
      4,
      5,
      6,
      Infinity,
    ]);
  });
});
