import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, test } from 'vitest';
import { createApiDocuments } from '../../../../src/events/documents/api-documents.js';

type Json = Readonly<Record<string, unknown>>;

/** The value at a path of a document; throws where a part of the path does not exist. */
const at = (node: unknown, ...path: string[]): Json => path.reduce((one, key) => one[key] as Json, node as Json);

const GV = { group: 'events.example.com', version: 'v1' };
const CORE = { group: '', version: 'v1' };
const SERVED = new Map([
  ['apis/events.example.com/v1', GV],
  ['api/v1', CORE],
]);
const documents = createApiDocuments(SERVED, true);

async function read(path: string, accept = 'application/json'): Promise<Uint8Array> {
  const response = await documents({ method: 'GET', url: path, headers: { accept } }, path, new Map());
  return response?.body as Uint8Array;
}

const readJson = async (path: string): Promise<Json> => JSON.parse(new TextDecoder().decode(await read(path))) as Json;

const document = await readJson('/openapi/v3/apis/events.example.com/v1');
const core = await readJson('/openapi/v3/api/v1');
const schemas = at(document, 'components', 'schemas');
const ROOT = '/apis/events.example.com/v1';
const ITEM = `${ROOT}/namespaces/{namespace}/events/{name}`;

const operations = (paths: Json): [string, Json][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Json)
      .filter(([key]) => key !== 'parameters')
      .map(([method, operation]): [string, Json] => [`${method} ${path}`, operation as Json]),
  );

test('every reference has a target', () => {
  for (const one of [document, core]) {
    const text = JSON.stringify(one);
    const known = Object.keys(at(one, 'components', 'schemas'));
    const used = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]);
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !known.includes(name as string))).toEqual([]);
  }
});

test('operations are those of kube-apiserver', () => {
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

test('every type of body and response that is served is listed, as in kube-apiserver', () => {
  const types = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const streams = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
  const typesOf = (...path: string[]): string[] => Object.keys(at(document, 'paths', ...path, 'content'));
  expect(typesOf(`${ROOT}/events`, 'get', 'responses', '200')).toEqual([...types, ...streams]);
  expect(typesOf(ITEM, 'get', 'responses', '200')).toEqual(types);
  expect(typesOf(ITEM, 'put', 'requestBody')).toEqual(types);
  expect(typesOf(`${ROOT}/`, 'get', 'responses', '200')).toEqual(types);
});

test('the members of a series are required in events.k8s.io/v1 only, as in kube-apiserver', () => {
  const requiredOf = (one: unknown, name: string): unknown => at(one, 'components', 'schemas', name)['required'];
  expect(requiredOf(document, 'io.k8s.api.events.v1.EventSeries')).toEqual(['count', 'lastObservedTime']);
  expect(at(core, 'components', 'schemas', 'io.k8s.api.core.v1.EventSeries')).not.toHaveProperty('required');
});

test('bookmarks can be requested of lists and watches, not of the deletion of a collection', () => {
  const collection = at(document, 'paths', `${ROOT}/namespaces/{namespace}/events`);
  const names = (method: string): unknown[] =>
    (at(collection, method)['parameters'] as Json[]).map((one) => one['name'] as string);
  expect(names('get')).toContain('allowWatchBookmarks');
  expect(names('delete')).toContain('sendInitialEvents');
  expect(names('delete')).not.toContain('allowWatchBookmarks');
});

describe('the document has what kubectl looks for:', () => {
  const patch = at(document, 'paths', ITEM, 'patch');

  test('the parameter fieldValidation on PATCH, under the kind', () => {
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ ...GV, kind: 'Event' });
    expect(patch['x-kubernetes-action']).toBe('patch');
    const names = (patch['parameters'] as Json[]).map((one) => one['name'] as string);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  test('the content types of patches', () => {
    const plain = [
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ];
    expect(Object.keys(at(patch, 'requestBody', 'content'))).toEqual([...plain, 'application/apply-patch+yaml']);
  });

  test('the schema of the kind, with descriptions everywhere', () => {
    const event = at(schemas, 'io.k8s.api.events.v1.Event');
    expect(event['x-kubernetes-group-version-kind']).toEqual([{ ...GV, kind: 'Event' }]);
    expect(event['required']).toEqual(['eventTime']);
    for (const [name, schema] of Object.entries(schemas)) {
      expect(at(schema, 'description'), name).toMatch(/\.$/);
      for (const property of Object.values(at(schema, 'properties') ?? {})) {
        expect(at(property, 'description')).toMatch(/\.$/);
      }
    }
  });
});

test('the document defines the schemas', () => {
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
  const properties = at(core, 'components', 'schemas', 'io.k8s.api.core.v1.Event', 'properties');
  const defaults = Object.entries(properties).map(([name, property]) => [name, at(property, 'default')]);
  expect(defaults.filter(([, value]) => value !== undefined)).toEqual([
    ['metadata', {}],
    ['involvedObject', {}],
    ['source', {}],
    ['reportingComponent', ''],
    ['reportingInstance', ''],
  ]);
});

test('the documents are served under their names', async () => {
  const { paths } = await readJson('/openapi/v3');
  expect(Object.keys(paths as object)).toEqual(['api/v1', 'apis/events.example.com/v1']);
});

describe('the Swagger document of both versions', () => {
  const swagger = (): Promise<Json> => readJson('/openapi/v2');

  test('has the definitions and operations of each, without dangling references', async () => {
    const json = await swagger();
    expect(json['swagger']).toBe('2.0');
    const definitions = at(json, 'definitions');
    expect(at(definitions, 'io.k8s.api.events.v1.Event')).toMatchObject({
      type: 'object',
      required: ['eventTime'],
      'x-kubernetes-group-version-kind': [{ ...GV, kind: 'Event' }],
      properties: {
        regarding: { $ref: '#/definitions/io.k8s.api.core.v1.ObjectReference' },
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      },
    });
    expect(at(definitions, 'io.k8s.api.core.v1.Event', 'x-kubernetes-group-version-kind')).toEqual([
      { group: '', version: 'v1', kind: 'Event' },
    ]);
    const kinds = at(
      definitions,
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
      'x-kubernetes-group-version-kind',
    );
    expect(kinds).toEqual([
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: 'events.example.com', kind: 'DeleteOptions', version: 'v1' },
    ]);
    const text = JSON.stringify(json);
    expect(text).not.toMatch(/components|allOf|"default":|"content":|requestBody/);
    const used = [...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map((match) => match[1] as string);
    expect(used.filter((name) => !(name in definitions))).toEqual([]);
    const patch = at(json, 'paths', ITEM, 'patch');
    expect(patch).toMatchObject({
      consumes: expect.arrayContaining(['application/apply-patch+yaml']) as string[],
      'x-kubernetes-group-version-kind': { ...GV, kind: 'Event' },
      responses: { '200': { schema: { $ref: '#/definitions/io.k8s.api.events.v1.Event' } } },
    });
    expect(patch['parameters']).toContainEqual(
      expect.objectContaining({ name: 'fieldValidation', in: 'query', type: 'string', uniqueItems: true }),
    );
    expect(patch['parameters']).toContainEqual(expect.objectContaining({ name: 'body', in: 'body', required: true }));
    expect(at(json, 'paths')).toHaveProperty(['/api/v1/namespaces/{namespace}/events/{name}']);
  });

  test('has the same content as its protobuf form', async () => {
    const json = await swagger();
    const bytes = await read('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
    const document = fieldsOf(bytes);
    expect(texts(document, 1)).toEqual(['2.0']);
    const definitions = new Map(
      messages(messages(document, 9)[0] as Field[], 1).map((one) => [texts(one, 1)[0], messages(one, 2)[0] as Field[]]),
    );
    expect([...definitions.keys()]).toEqual(Object.keys(at(json, 'definitions')));
    const event = definitions.get('io.k8s.api.events.v1.Event') as Field[];
    expect(texts(event, 4)).toEqual([at(json, 'definitions', 'io.k8s.api.events.v1.Event', 'description')]);
    expect(texts(event, 19)).toEqual(['eventTime']);
    expect(texts(messages(event, 22)[0] as Field[], 1)).toEqual(['object']);
    const properties = messages(messages(event, 25)[0] as Field[], 1);
    const wanted = at(json, 'definitions', 'io.k8s.api.events.v1.Event', 'properties');
    expect(properties.map((one) => texts(one, 1)[0])).toEqual(Object.keys(wanted));
    const regarding = properties.find((one) => texts(one, 1)[0] === 'regarding') as Field[];
    expect(texts(messages(regarding, 2)[0] as Field[], 1)).toEqual([
      '#/definitions/io.k8s.api.core.v1.ObjectReference',
    ]);
    const [extension] = messages(event, 31);
    expect(texts(extension as Field[], 1)).toEqual(['x-kubernetes-group-version-kind']);
    const [value] = messages(extension as Field[], 2);
    expect(JSON.parse(texts(value as Field[], 2)[0] as string)).toEqual([{ ...GV, kind: 'Event' }]);
    const paths = messages(messages(document, 8)[0] as Field[], 2);
    const item = paths.find((one) => texts(one, 1)[0] === ITEM) as Field[];
    const patch = messages(messages(item, 2)[0] as Field[], 8)[0] as Field[];
    expect(texts(patch, 5)).toEqual(['patchEventsV1NamespacedEvent']);
    // ParametersItem, Parameter, NonBodyParameter, QueryParameterSubSchema.
    const names = messages(patch, 8)
      .flatMap((one) => messages(one, 1))
      .flatMap((one) => messages(one, 2))
      .flatMap((one) => messages(one, 3))
      .flatMap((one) => texts(one, 4));
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });
});

/** A field of a message: texts and messages are bytes. */
interface Field {
  readonly number: number;
  readonly value: Uint8Array | number;
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const reader = new BinaryReader(bytes);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    fields.push({ number, value: type === WireType.LengthDelimited ? reader.bytes() : reader.uint32() });
  }
  return fields;
}

const all = (fields: readonly Field[], number: number): Uint8Array[] =>
  fields.filter((field) => field.number === number).map(({ value }) => value as Uint8Array);
const texts = (fields: readonly Field[], number: number): string[] =>
  all(fields, number).map((value) => new TextDecoder().decode(value));
const messages = (fields: readonly Field[], number: number): Field[][] => all(fields, number).map(fieldsOf);
