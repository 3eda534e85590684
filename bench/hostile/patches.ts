import { eventStart, fill, times } from './making.js';

/** A body of PATCH. */
export interface PatchBody {
  readonly id: string;
  readonly title: string;
  readonly type: 'json-patch+json' | 'merge-patch+json' | 'strategic-merge-patch+json';
  make(bytes: number): string;
}

const operations = (
  id: string,
  title: string,
  first: string,
  item: (index: number) => string,
  most = 9_990,
): PatchBody => ({
  id: `json-patch-${id}`,
  title: `JSON Patch: ${title}`,
  type: 'json-patch+json',
  make: (bytes) => {
    let index = 0;
    return fill(bytes, `[${first}`, () => (index < most ? item(index++) : ' '.repeat(1000)), ']').replace(
      /[, ]+\]$/,
      ']',
    );
  },
});
const merge = (id: string, title: string, make: (bytes: number) => string): PatchBody => ({
  id: `merge-${id}`,
  title: `merge patch: ${title}`,
  type: 'merge-patch+json',
  make,
});
const strategic = (id: string, title: string, make: (bytes: number) => string): PatchBody => ({
  id: `strategic-${id}`,
  title: `strategic merge patch: ${title}`,
  type: 'strategic-merge-patch+json',
  make,
});

const annotations = (bytes: number, item: (index: number) => string): string =>
  fill(bytes, '{"metadata":{"annotations":{', item, '}}}');
const inMetadata = (bytes: number, open: string, item: (index: number) => string, close: string): string =>
  fill(bytes, `{"metadata":{${open}`, item, `${close}}}`);
const big = (bytes: number): string => `{"op":"add","path":"/metadata/annotations","value":{${many(bytes)}}}`;
const many = (bytes: number): string => fill(bytes, '', (i) => `"k${i}":""`, '');
const list = (count: number): string => Array.from({ length: count }, (_, i) => `"a/${i}"`).join(',');

/** As deep and as many as count for less than the limit of a JSON Patch. */
const EMPTY_DEPTH = 990;
const EMPTY_KEYS = 98_000;

/** Patches that cause much work. They are applied to an ordinary event. */
export const patchBodies: readonly PatchBody[] = [
  operations('operations', 'many operations', '', (i) => `{"op":"add","path":"/note","value":"${i}"}`),
  operations('too-many', 'more operations than are allowed', '', () => '{}', 1e9),
  operations('nulls', 'a list of null', '', () => 'null', 1e9),
  operations('tests', 'many comparisons with the whole event', '', () => '{"op":"test","path":"","value":{}}'),
  operations(
    'copies',
    'copies of a growing object',
    big(50_000).concat(','),
    (i) => `{"op":"copy","from":"/metadata/annotations","path":"/metadata/c${i}"}`,
  ),
  operations(
    'doubling',
    'copies into itself',
    '{"op":"add","path":"/x","value":{"a":1}},',
    (i) => `{"op":"copy","from":"/x","path":"/x/y${i}"}`,
  ),
  operations('moves', 'moves of a large object', big(100_000).concat(','), (i) =>
    i % 2
      ? '{"op":"move","from":"/x","path":"/metadata/annotations"}'
      : '{"op":"move","from":"/metadata/annotations","path":"/x"}',
  ),
  operations(
    'test-large',
    'comparisons in a large object',
    `${big(20_000)},{"op":"copy","from":"/metadata/annotations","path":"/x"},`,
    () => `{"op":"test","path":"/x/k0","value":""}`,
  ),
  operations(
    'test-values',
    'large values compared',
    `${big(2_000)},`,
    () => `{"op":"test","path":"/metadata/annotations","value":{${many(2_000)}}}`,
  ),
  operations(
    'shift',
    'insertions at the beginning of a long list',
    `{"op":"add","path":"/metadata/finalizers","value":[${list(20_000)}]},`,
    () => '{"op":"add","path":"/metadata/finalizers/0","value":"b/c"}',
  ),
  operations(
    'unshift',
    'removals from the beginning of a long list',
    `{"op":"add","path":"/metadata/finalizers","value":[${list(20_000)}]},`,
    () => '{"op":"remove","path":"/metadata/finalizers/0"}',
  ),
  operations(
    'deep',
    'a deep path, many times',
    `{"op":"add","path":"/x","value":${'{"a":'.repeat(500)}1${'}'.repeat(500)}},`,
    () => `{"op":"test","path":"/x${'/a'.repeat(500)}","value":1}`,
  ),
  {
    id: 'json-patch-empty-keys',
    title: 'JSON Patch: a deep object with an empty key many times',
    type: 'json-patch+json',
    make: (bytes) =>
      '{"":'.repeat(EMPTY_DEPTH) +
      fill(bytes - 5 * EMPTY_DEPTH, '{', () => '"":0', '}', ',', EMPTY_KEYS) +
      '}'.repeat(EMPTY_DEPTH),
  },
  operations('long-path', 'a long pointer', '', () => `{"op":"test","path":"${times('/a', 250_000)}","value":1}`),
  operations('tildes', 'a pointer of escapes', '', () => `{"op":"test","path":"${times('/~0~1', 250_000)}","value":1}`),
  operations('unknown', 'operations with unknown members', '', (i) => `{"op":"test","path":"","x${i}":1}`),
  operations(
    'bad-type',
    'a result of the wrong type that shows a large document',
    `${big(100_000)},`,
    () => '{"op":"add","path":"/note","value":1}',
    1,
  ),
  operations(
    'labels',
    'many labels, one by one',
    '{"op":"add","path":"/metadata/labels","value":{}},',
    (i) => `{"op":"add","path":"/metadata/labels/k${i}","value":"v"}`,
  ),
  operations(
    'finalizers',
    'many finalizers, one by one',
    '{"op":"add","path":"/metadata/finalizers","value":[]},',
    (i) => `{"op":"add","path":"/metadata/finalizers/-","value":"a/${i}"}`,
  ),
  operations(
    'alike',
    'long finalizers that differ at their ends',
    `{"op":"add","path":"/metadata/finalizers","value":[]},`,
    (i) => `{"op":"add","path":"/metadata/finalizers/-","value":"a/${'x'.repeat(16_400)}${i + 100}"}`,
    120,
  ),
  operations(
    'alike-keys',
    'labels whose long names differ at their ends',
    `{"op":"add","path":"/metadata/labels","value":{}},`,
    (i) => `{"op":"add","path":"/metadata/labels/${'x'.repeat(16_400)}${i + 100}","value":""}`,
    120,
  ),
  operations(
    'deep-value',
    'a deep value',
    `{"op":"add","path":"/x","value":${'['.repeat(990)}${']'.repeat(990)}},`,
    (i) => `{"op":"copy","from":"/x","path":"/y${i}"}`,
  ),
  merge('annotations', 'many annotations', (bytes) => annotations(bytes, (i) => `"k${i}":""`)),
  merge('labels', 'many labels', (bytes) => inMetadata(bytes, '"labels":{', (i) => `"k${i}":"v"`, '}')),
  merge('finalizers', 'many finalizers', (bytes) => inMetadata(bytes, '"finalizers":[', (i) => `"a/${i}"`, ']')),
  merge('owners', 'many owner references', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', (i) => `{"apiVersion":"v1","kind":"P","name":"p","uid":"${i}"}`, ']'),
  ),
  merge('managed', 'many managed fields', (bytes) =>
    inMetadata(
      bytes,
      '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"events.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:x":{',
      (i) => `"k:{\\"uid\\":\\"${i}\\"}":{}`,
      '}}}]',
    ),
  ),
  merge('nulls', 'many nulls', (bytes) => annotations(bytes, (i) => `"k${i}":null`)),
  merge('unknown', 'many unknown fields', (bytes) => fill(bytes, '{', (i) => `"u${i}":1`, '}')),
  merge('duplicates', 'a key many times', (bytes) => fill(bytes, '{', () => '"note":"x"', '}')),
  merge('bad-type', 'a result of the wrong type that shows a large document', (bytes) =>
    fill(bytes, '{"note":1,"metadata":{"annotations":{', (i) => `"k${i}":""`, '}}}'),
  ),
  merge('deep', 'deep objects', (bytes) =>
    fill(bytes, '{', (i) => `"u${i}":${'{"a":'.repeat(900)}1${'}'.repeat(900)}`, '}'),
  ),
  strategic('annotations', 'many annotations', (bytes) => annotations(bytes, (i) => `"k${i}":""`)),
  strategic('finalizers', 'many finalizers', (bytes) => inMetadata(bytes, '"finalizers":[', (i) => `"a/${i}"`, ']')),
  strategic('finalizers-order', 'finalizers in an order', (bytes) => {
    const half = fill(bytes / 2 - 200, '', (i) => `"a/${i}"`, '');
    return `{"metadata":{"finalizers":[${half}],"$setElementOrder/finalizers":[${half}]}}`;
  }),
  strategic('finalizers-order-bad', 'finalizers in another order', (bytes) => {
    const half = fill(bytes / 2 - 200, '', (i) => `"a/${i}"`, '');
    return `{"metadata":{"finalizers":[${half.split(',').reverse().join(',')}],"$setElementOrder/finalizers":[${half}]}}`;
  }),
  strategic('finalizers-delete', 'finalizers to be deleted', (bytes) =>
    inMetadata(bytes, '"$deleteFromPrimitiveList/finalizers":[', (i) => `"a/${i}"`, ']'),
  ),
  strategic('owners', 'many owner references', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', (i) => `{"apiVersion":"v1","kind":"P","name":"p","uid":"${i}"}`, ']'),
  ),
  strategic('owners-small', 'many small owner references', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', (i) => `{"uid":"${i}"}`, ']'),
  ),
  strategic('owners-same', 'one owner reference many times', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', () => '{"uid":"1"}', ']'),
  ),
  strategic('owners-no-key', 'owner references without their key', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', () => '{}', ']'),
  ),
  strategic('owners-delete', 'owner references to be deleted', (bytes) =>
    inMetadata(bytes, '"ownerReferences":[', (i) => `{"$patch":"delete","uid":"${i}"}`, ']'),
  ),
  strategic('owners-order', 'owner references in an order', (bytes) => {
    const half = fill(bytes / 2 - 200, '', (i) => `{"uid":"${i}"}`, '');
    return `{"metadata":{"ownerReferences":[${half}],"$setElementOrder/ownerReferences":[${half}]}}`;
  }),
  strategic('retain', 'many keys retained', (bytes) =>
    fill(bytes, '{"$retainKeys":["note",', (i) => `"k${i}"`, '],"note":"x"}'),
  ),
  strategic('orders', 'many orders', (bytes) => fill(bytes, '{', (i) => `"$setElementOrder/x${i}":[]`, '}')),
  strategic('unknown', 'many unknown fields', (bytes) => fill(bytes, '{', (i) => `"u${i}":{"$patch":"replace"}`, '}')),
  strategic('bad-directive', 'an unknown directive in a large map', (bytes) =>
    fill(bytes, '{"metadata":{"annotations":{"$patch":"x",', (i) => `"k${i}":""`, '}}}'),
  ),
  strategic('bad-type', 'a result of the wrong type with a large patch', (bytes) =>
    fill(bytes, '{"note":1,"metadata":{"annotations":{', (i) => `"k${i}":""`, '}}}'),
  ),
  strategic('deep', 'deep objects', (bytes) =>
    fill(bytes, '{', (i) => `"u${i}":${'{"a":'.repeat(900)}1${'}'.repeat(900)}`, '}'),
  ),
  strategic('managed', 'many managed fields', (bytes) =>
    inMetadata(
      bytes,
      '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"events.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:x":{',
      (i) => `"k:{\\"uid\\":\\"${i}\\"}":{}`,
      '}}}]',
    ),
  ),
];

/** Bodies of a server-side apply besides the events of the other files. */
export const applyBodies: readonly { readonly id: string; readonly title: string; make(bytes: number): string }[] = [
  {
    id: 'undeclared',
    title: 'many undeclared fields',
    make: (bytes) => fill(bytes, `${eventStart('stored')}},`, (i) => `"u${i}":1`, '}'),
  },
  {
    id: 'wrong-labels',
    title: 'many labels of the wrong type',
    make: (bytes) => fill(bytes, `${eventStart('stored')},"labels":{`, (i) => `"k${i}":1`, '}}}'),
  },
  {
    id: 'wrong-object',
    title: 'a large object where a text is wanted',
    make: (bytes) => fill(bytes, `${eventStart('stored')}},"note":{`, (i) => `"k${i}":1`, '}}'),
  },
  {
    id: 'wrong-list',
    title: 'a large list where a text is wanted',
    make: (bytes) => fill(bytes, `${eventStart('stored')}},"note":[`, () => '[]', ']}'),
  },
  {
    id: 'wrong-text',
    title: 'a list with a text that cannot be printed where a text is wanted',
    make: (bytes) => `${eventStart('stored')}},"note":["${times('\u0085', (bytes - 1_000) / 2)}"]}`,
  },
];
