import { describe, expect, it } from 'vitest';
import { storageVersionHash } from '../../../../src/api/discovery/documents.js';
import { createDiscovery } from '../../../../src/api/discovery/discovery.js';
import type { ApiResponse } from '../../../../src/http/response.js';

const G = 'events.example.com';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const events = {
  name: 'events',
  singularName: 'event',
  namespaced: true as const,
  kind: 'Event',
  verbs: VERBS,
  shortNames: ['ev'],
};
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const grouped = { group: G, version: 'v1' };
const core = { group: '', version: 'v1' };
const withoutCore = createDiscovery(events, [grouped]);
const withCore = createDiscovery(events, [core, grouped]);

interface DiscoveryResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly text: string;
}

async function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', use = withoutCore } = {},
): Promise<DiscoveryResponse | undefined> {
  const response = await use({ method, url: path, headers: { host: 'h:1', ...headers } }, path, new Map());
  if (!response) return undefined;
  const text = response.body === null ? '' : Buffer.from(response.body as Uint8Array).toString();
  return { status: response.status, headers: response.headers, text };
}

async function json(path: string, headers?: Readonly<Record<string, string>>, use = withoutCore): Promise<unknown> {
  const response = await ask(path, headers, { use });
  expect(response?.status).toBe(200);
  return JSON.parse(response?.text ?? '');
}

const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress: 'h:1' }];
const gv = { groupVersion: `${G}/v1`, version: 'v1' };

describe('plain discovery', () => {
  it('lists the versions of /api', async () => {
    const response = await ask('/api', {}, { use: withCore });
    expect(response?.text).toBe(
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"h:1"}]}\n',
    );
    expect(response?.headers).toEqual({ 'content-type': 'application/json' });
    expect(await json('/api')).toEqual({ kind: 'APIVersions', versions: [], serverAddressByClientCIDRs: addresses });
  });

  it('names no address to a client that names no host', async () => {
    const response = await withoutCore({ method: 'GET', url: '/api', headers: {} }, '/api', new Map());
    expect(Buffer.from(response?.body as Uint8Array).toString()).toContain('"serverAddress":""');
  });

  it('lists the groups of /apis', async () => {
    const group = { name: G, versions: [gv], preferredVersion: gv, serverAddressByClientCIDRs: addresses };
    expect(JSON.stringify(await json('/apis'))).toBe(JSON.stringify({ kind: 'APIGroupList', groups: [group] }));
  });

  it('describes a group with its versions', async () => {
    const expected = { kind: 'APIGroup', apiVersion: 'v1', name: G, versions: [gv], preferredVersion: gv };
    expect(JSON.stringify(await json(`/apis/${G}`))).toBe(JSON.stringify(expected));
  });

  it('lists the resources of a version, verbs in order, with the hash of the storage version', async () => {
    const resource = { ...events, verbs: VERBS, storageVersionHash: 'UvKK6QjEJDg=' };
    const expected = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${G}/v1`, resources: [resource] };
    expect(JSON.stringify(await json(`/apis/${G}/v1`))).toBe(
      JSON.stringify({
        ...expected,
        resources: [
          {
            name: 'events',
            singularName: 'event',
            namespaced: true,
            kind: 'Event',
            verbs: VERBS,
            shortNames: ['ev'],
            storageVersionHash: 'UvKK6QjEJDg=',
          },
        ],
      }),
    );
    // All versions have the hash of the one that is stored, which comes first.
    const stored = { ...resource, storageVersionHash: 'r2yiGXH7wu8=' };
    expect(await json('/api/v1', {}, withCore)).toEqual({
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [stored],
    });
    expect(await json(`/apis/${G}/v1`, {}, withCore)).toEqual({ ...expected, resources: [stored] });
  });

  it('is served with a slash at the end, and nowhere else', async () => {
    for (const path of ['/api/', '/apis/', `/apis/${G}/`, `/apis/${G}/v1/`])
      expect((await ask(path))?.status).toBe(200);
    for (const path of [
      '/',
      '',
      '/api/v1',
      '/apis/other',
      `/apis/${G}/v2`,
      `/apis/${G}/v1/events`,
      '/apis//',
      '/apix',
    ]) {
      expect(await ask(path)).toBeUndefined();
    }
    expect(await ask('/apis//', {}, { use: withCore })).toBeUndefined();
  });

  it('is YAML on request', async () => {
    const response = await ask(`/apis/${G}`, { accept: 'application/yaml' });
    expect(response?.headers['content-type']).toBe('application/yaml');
    expect(response?.text).toMatch(/^apiVersion: v1\nkind: APIGroup\nname: events.example.com\npreferredVersion:\n/);
  });

  it('is indented for clients that show it to people', async () => {
    expect((await ask('/apis', { 'user-agent': 'curl/8' }))?.text).toMatch(/^\{\n {2}"kind": "APIGroupList",\n/);
  });

  it('refuses other methods and media types', async () => {
    for (const method of ['POST', 'HEAD', 'OPTIONS']) {
      const response = await ask('/apis', {}, { method });
      expect(response?.status).toBe(405);
      expect(JSON.parse(response?.text ?? '')).toMatchObject({ reason: 'MethodNotAllowed', details: {} });
    }
    expect(JSON.parse((await ask('/apis', { accept: 'text/html' }))?.text ?? '')).toMatchObject({
      message:
        '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      details: {},
    });
    for (const path of [`/apis/${G}`, `/apis/${G}/v1`]) {
      const response = await ask(path, { accept: AGGREGATED });
      expect(response?.status).toBe(406);
      expect(response?.text).toMatch(/^\{\n {2}"kind": "Status"/);
      expect(JSON.parse(response?.text ?? '')).not.toHaveProperty('details');
    }
  });
});

describe('aggregated discovery', () => {
  const resource = {
    resource: 'events',
    responseKind: { group: '', version: '', kind: 'Event' },
    scope: 'Namespaced',
    singularResource: 'event',
    verbs: VERBS,
    shortNames: ['ev'],
  };
  const documentOf = (items: readonly object[]): object => ({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: items.map((metadata) => ({
      metadata,
      versions: [{ version: 'v1', resources: [resource], freshness: 'Current' }],
    })),
  });

  it.each([
    AGGREGATED,
    `${AGGREGATED},application/json`,
    `application/json,${AGGREGATED}`,
    `${AGGREGATED};profile=nopeer`,
  ])('serves Accept %s', async (accept) => {
    const response = await ask('/apis', { accept });
    expect(response?.text).toBe(`${JSON.stringify(documentOf([{ name: G }]))}\n`);
    expect(response?.headers).toEqual({
      'content-type': AGGREGATED,
      'cache-control': 'public',
      vary: 'Accept',
      etag: expect.stringMatching(/^"[0-9A-F]{128}"$/),
    });
  });

  it('shows core without a name, and without core no items', async () => {
    expect(await json('/api', { accept: AGGREGATED }, withCore)).toEqual(documentOf([{}]));
    expect(await json('/api', { accept: AGGREGATED })).toEqual(documentOf([]));
  });

  it('is not sent again to clients that have its ETag', async () => {
    const etag = String((await ask('/apis', { accept: AGGREGATED }))?.headers['etag']);
    const again = await ask('/apis', { accept: AGGREGATED, 'if-none-match': etag });
    expect(again).toEqual({ status: 304, headers: { 'cache-control': 'public', etag, vary: 'Accept' }, text: '' });
    expect((await ask('/apis', { accept: AGGREGATED, 'if-none-match': '"other"' }))?.status).toBe(200);
    expect((await ask('/api', { accept: AGGREGATED, 'if-none-match': etag }))?.status).toBe(200);
  });

  it('is not available in the older version', async () => {
    const older = AGGREGATED.replace('v=v2', 'v=v2beta1');
    expect(await json('/apis', { accept: `${older},application/json` })).toMatchObject({ kind: 'APIGroupList' });
    const refused = await ask('/apis', { accept: older });
    expect(refused?.status).toBe(406);
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({
      message:
        'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    });
  });

  it('is YAML on request', async () => {
    const response = await ask('/apis', { accept: AGGREGATED.replace('json', 'yaml') });
    expect(response?.headers['content-type']).toBe(AGGREGATED.replace('json', 'yaml'));
    expect(response?.text).toMatch(/^apiVersion: apidiscovery.k8s.io\/v2\nitems:\n/);
  });
});

describe('storageVersionHash', () => {
  it('equals the hash that Kubernetes computes', async () => {
    expect(await storageVersionHash(core, 'Event')).toBe('r2yiGXH7wu8=');
    expect(await storageVersionHash(grouped, 'Event')).toBe('UvKK6QjEJDg=');
  });
});
