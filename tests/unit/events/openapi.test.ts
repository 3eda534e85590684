import { describe, expect, test } from 'vitest';
import { createEventsOpenApi, eventsOpenApiDocument } from '../../../src/events/openapi.js';

type Json = Readonly<Record<string, unknown>>;

/** What stands at a place of a document; fails where there is nothing on the way. */
const at = (node: unknown, ...path: string[]): Json => path.reduce((one, key) => one[key] as Json, node as Json);

const GV = { group: 'events.example.com', version: 'v1' };
const document = eventsOpenApiDocument(GV);
const core = eventsOpenApiDocument({ group: '', version: 'v1' });
const schemas = at(document, 'components', 'schemas');
const ROOT = '/apis/events.example.com/v1';
const ITEM = `${ROOT}/namespaces/{namespace}/events/{name}`;

const operations = (paths: Json): [string, Json][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Json)
      .filter(([key]) => key !== 'parameters')
      .map(([method, operation]): [string, Json] => [`${method} ${path}`, operation as Json]),
  );

test('every reference leads somewhere', () => {
  for (const one of [document, core]) {
    const text = JSON.stringify(one);
    const known = Object.keys(at(one, 'components', 'schemas'));
    const used = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !known.includes(name as string))).toEqual([]);
  }
});

test('operations are those of the original', () => {
  const ids = operations(at(document, 'paths')).map(([path, { operationId }]) => `${path} ${String(operationId)}`);
  expect(ids.sort()).toEqual(
    [
      `get ${ROOT}/ getEventsV1APIResources`,
      `get ${ROOT}/events listEventsV1EventForAllNamespaces`,
      `get ${ROOT}/namespaces/{namespace}/events listEventsV1NamespacedEvent`,
      `post ${ROOT}/namespaces/{namespace}/events createEventsV1NamespacedEvent`,
      `delete ${ROOT}/namespaces/{namespace}/events deleteEventsV1CollectionNamespacedEvent`,
      `get ${ITEM} readEventsV1NamespacedEvent`,
      `put ${ITEM} replaceEventsV1NamespacedEvent`,
      `patch ${ITEM} patchEventsV1NamespacedEvent`,
      `delete ${ITEM} deleteEventsV1NamespacedEvent`,
      `get ${ROOT}/watch/events watchEventsV1EventListForAllNamespaces`,
      `get ${ROOT}/watch/namespaces/{namespace}/events watchEventsV1NamespacedEventList`,
      `get ${ROOT}/watch/namespaces/{namespace}/events/{name} watchEventsV1NamespacedEvent`,
    ].sort(),
  );
  expect(Object.keys(at(core, 'paths'))).toContain('/api/v1/namespaces/{namespace}/events/{name}');
  expect(JSON.stringify(core)).toContain('"patchCoreV1NamespacedEvent"');
});

describe('what kubectl looks for', () => {
  const patch = at(document, 'paths', ITEM, 'patch');

  test('fieldValidation on PATCH, under the kind', () => {
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ ...GV, kind: 'Event' });
    expect(patch['x-kubernetes-action']).toBe('patch');
    const names = (patch['parameters'] as Json[]).map((one) => one['name'] as string);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  test('the types of patches', () => {
    const plain = [
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ];
    expect(Object.keys(at(patch, 'requestBody', 'content'))).toEqual(plain);
    const applied = eventsOpenApiDocument(GV, { apply: true });
    expect(Object.keys(at(applied, 'paths', ITEM, 'patch', 'requestBody', 'content'))).toEqual([
      ...plain,
      'application/apply-patch+yaml',
    ]);
  });

  test('the schema of the kind, with descriptions everywhere', () => {
    const event = at(schemas, 'io.k8s.api.events.v1.Event');
    expect(event['x-kubernetes-group-version-kind']).toEqual([{ ...GV, kind: 'Event' }]);
    expect(event['required']).toEqual(['eventTime']);
    for (const [name, schema] of Object.entries(schemas)) {
      expect([name, typeof at(schema, 'description')]).toEqual([name, 'string']);
      for (const property of Object.values(at(schema, 'properties') ?? {})) {
        expect(at(property, 'description')).toMatch(/\.$/);
      }
    }
  });
});

test('schemas', () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
  expect(at(schemas, 'io.k8s.api.events.v1.EventSeries', 'required')).toEqual(['count', 'lastObservedTime']);
  expect(at(schemas, 'io.k8s.api.events.v1.EventList', 'required')).toEqual(['items']);
  expect(at(schemas, 'io.k8s.api.core.v1.ObjectReference', 'x-kubernetes-map-type')).toBe('atomic');
  expect(at(schemas, `${meta}.MicroTime`)).toMatchObject({ type: 'string', format: 'date-time' });
  expect(at(schemas, `${meta}.ObjectMeta`, 'properties')).toMatchObject({
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', 'x-kubernetes-patch-strategy': 'merge' },
    ownerReferences: {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      'x-kubernetes-patch-merge-key': 'uid',
      'x-kubernetes-patch-strategy': 'merge',
      items: { allOf: [{ $ref: `#/components/schemas/${meta}.OwnerReference` }], default: {} },
    },
    managedFields: { 'x-kubernetes-list-type': 'atomic' },
    labels: { type: 'object', additionalProperties: { type: 'string', default: '' } },
    creationTimestamp: { allOf: [{ $ref: `#/components/schemas/${meta}.Time` }] },
    generation: { type: 'integer', format: 'int64' },
  });
  expect(at(schemas, `${meta}.DeleteOptions`, 'x-kubernetes-group-version-kind')).toEqual([
    { group: '', kind: 'DeleteOptions', version: 'v1' },
    { group: 'events.example.com', kind: 'DeleteOptions', version: 'v1' },
  ]);
  for (const name of ['Status', 'Patch', 'WatchEvent', 'ListMeta', 'APIResourceList']) {
    expect(schemas).toHaveProperty([`${meta}.${name}`]);
  }
  expect(at(core, 'components', 'schemas', 'io.k8s.api.core.v1.Event', 'required')).toEqual([
    'metadata',
    'involvedObject',
  ]);
});

test('the documents are served under their names', async () => {
  const openApi = createEventsOpenApi([GV, { group: '', version: 'v1' }]);
  const index = await openApi.handle('/openapi/v3', new Map(), {});
  const { paths } = JSON.parse(new TextDecoder().decode(index?.body as Uint8Array)) as { paths: object };
  expect(Object.keys(paths)).toEqual(['api/v1', 'apis/events.example.com/v1']);
});
