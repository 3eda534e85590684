import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyStrategicMerge } from '../../../../src/api/patch/strategic-merge.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import type { Shape, StructShape } from '../../../../src/api/schema/shape.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

type Json = Record<string, unknown>;

const apply = (document: Json, patch: Json): Json => applyStrategicMerge(document, patch, eventShape());
const metadata = (stored: Json, patch: Json): unknown => apply({ metadata: stored }, { metadata: patch })['metadata'];

function errorOf(stored: Json, patch: Json): string {
  try {
    metadata(stored, patch);
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.reason} ${error.message}`;
    throw error;
  }
  return 'no error';
}

const owner = (uid: string, name = uid): Json => ({ apiVersion: 'v1', kind: 'Pod', name, uid });
const uids = (patched: unknown): string[] =>
  (patched as { ownerReferences: Json[] }).ownerReferences.map((o) => String(o['uid']));

describe('applyStrategicMerge on objects', () => {
  it('merges members and removes those that are null', () => {
    const stored = {
      note: 'n',
      series: { count: 2, lastObservedTime: 't' },
      metadata: { labels: { drop: '1', keep: '1' } },
    };
    expect(
      apply(stored, { metadata: { labels: { drop: null, add: '2' } }, series: { count: 7 }, reason: null }),
    ).toEqual({
      note: 'n',
      series: { count: 7, lastObservedTime: 't' },
      metadata: { labels: { keep: '1', add: '2' } },
    });
  });

  it.each<[string, Json, unknown]>([
    ['$patch: replace', { labels: { $patch: 'replace', only: 'x' } }, { labels: { only: 'x' } }],
    ['$patch: delete', { labels: { $patch: 'delete', only: 'x' } }, { labels: {} }],
    ['$retainKeys', { labels: { $retainKeys: ['a', 'n'], n: '1' } }, { labels: { a: '1', n: '1' } }],
    ['a value of another type', { labels: 'x' }, { labels: 'x' }],
    ['a replacement of a missing map', { annotations: { $patch: 'replace', n: 'v' } }, { labels: { a: '1', b: '2' } }],
    ['a deletion of a missing map', { annotations: { $patch: 'delete', n: 'v' } }, { labels: { a: '1', b: '2' } }],
    ['an unknown directive of one', { annotations: { $patch: 'bogus' } }, { labels: { a: '1', b: '2' } }],
    ['a deletion in place of another type', { finalizers: { $patch: 'delete' } }, { labels: { a: '1', b: '2' } }],
  ])('changes a map as the patch requires: %s', (_, patch, expected) => {
    expect(metadata({ labels: { a: '1', b: '2' } }, patch)).toEqual(expected);
  });

  it.each<[Json, string]>([
    [{ labels: { $patch: 'bogus' } }, '400 BadRequest unknown patch type: bogus in map: map[$patch:bogus]'],
    [{ labels: { $patch: 'merge', m: '1' } }, '400 BadRequest unknown patch type: merge in map: map[$patch:merge m:1]'],
    [{ labels: { $patch: 5 } }, '400 BadRequest unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
    [{ labels: { $retainKeys: ['z'], n: 'x' } }, '400 BadRequest invalid patch format of retainKeys'],
    [{ labels: { $retainKeys: 'z' } }, '400 BadRequest invalid patch format of retainKeys'],
    [{ $deleteFromPrimitiveList: ['x'] }, '400 BadRequest invalid patch format of primitive list'],
    [{ $setElementOrder: ['x'] }, '400 BadRequest invalid patch format of setElementOrder list'],
    [{ '$setElementOrder/finalizers': 'x' }, '400 BadRequest expected a []interface {}, but received a string'],
    [
      { '$setElementOrder/nothing': [] },
      '400 BadRequest unable to find api field in struct ObjectMeta for the json field "nothing"',
    ],
  ])('refuses the patch %j', (patch, message) => {
    expect(errorOf({ labels: { a: '1' } }, patch)).toBe(message);
  });

  it('replaces the whole document, or empties it', () => {
    expect(apply({ note: 'n' }, { $patch: 'replace', metadata: { name: 'a' } })).toEqual({ metadata: { name: 'a' } });
    expect(apply({ note: 'n' }, { $patch: 'delete' })).toEqual({});
  });
});

describe('null in a strategic merge patch', () => {
  const stored: Json = {
    labels: { a: '1' },
    finalizers: ['x/a', 'x/b'],
    ownerReferences: [owner('u1'), owner('u2')],
  };

  it.each<[string, Json, Json]>([
    ['removes a member', { labels: null }, { labels: undefined }],
    ['removes a list of scalars', { finalizers: null }, { finalizers: undefined }],
    ['removes a list of objects', { ownerReferences: null }, { ownerReferences: undefined }],
    ['removes nothing where nothing is', { annotations: null }, {}],
    ['in an existing object removes the member', { labels: { a: null } }, { labels: {} }],
    ['in a new object is left out', { annotations: { n: 'v', gone: null } }, { annotations: { n: 'v' } }],
    [
      'in an object that replaces another type is left out',
      { finalizers: { n: { deep: null }, gone: null } },
      { finalizers: { n: {} } },
    ],
    [
      'in an object that is replaced is left out',
      { labels: { $patch: 'replace', b: '2', c: null } },
      { labels: { b: '2' } },
    ],
    [
      'in an item that is new is left out',
      { ownerReferences: [{ ...owner('u3'), controller: null }] },
      { ownerReferences: [owner('u3'), owner('u1'), owner('u2')] },
    ],
    [
      'in an item of a list that is replaced is left out',
      { ownerReferences: [{ $patch: 'replace' }, { ...owner('u3'), controller: null }] },
      { ownerReferences: [owner('u3')] },
    ],
    [
      'in an item that is known removes its member',
      { ownerReferences: [{ uid: 'u2', kind: null }] },
      { ownerReferences: [owner('u1'), { apiVersion: 'v1', name: 'u2', uid: 'u2' }] },
    ],
    [
      'in an item of the list of a new member is left out',
      { annotations: { list: [{ n: null, v: '1' }] } },
      { annotations: { list: [{ v: '1' }] } },
    ],
    [
      'in place of items to remove removes the list',
      { '$deleteFromPrimitiveList/finalizers': null },
      { finalizers: undefined },
    ],
    [
      'may stand for what $retainKeys does not name',
      { labels: { $retainKeys: ['b'], a: null, b: '2' } },
      { labels: { b: '2' } },
    ],
  ])('has the documented effect: %s', (_, patch, expected) => {
    expect(JSON.parse(JSON.stringify(metadata(stored, patch)))).toEqual(
      JSON.parse(JSON.stringify({ ...stored, ...expected })),
    );
    expect(Object.keys(metadata(stored, patch) as Json).filter((key) => key.startsWith('$'))).toEqual([]);
  });

  it.each<[Json, string]>([
    [{ '$setElementOrder/finalizers': null }, '400 BadRequest expected a []interface {}, but received a <nil>'],
    [{ labels: { $retainKeys: null } }, '400 BadRequest invalid patch format of retainKeys'],
    [{ labels: { $patch: null } }, '400 BadRequest unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
    [
      { ownerReferences: [null] },
      '400 BadRequest list element types are not identical: [[map[apiVersion:v1 kind:Pod name:u1 uid:u1] map[apiVersion:v1 kind:Pod name:u2 uid:u2]] [<nil>]]',
    ],
  ])('is refused in %j', (patch, message) => {
    expect(errorOf(stored, patch)).toBe(message);
  });
});

describe('applyStrategicMerge on lists of scalars', () => {
  const stored = { finalizers: ['x/a', 'x/b'] };

  it.each<[string, Json, string[] | undefined]>([
    ['new items come first', { finalizers: ['x/c'] }, ['x/c', 'x/a', 'x/b']],
    ['known items are not repeated', { finalizers: ['x/b', 'x/b', 'x/c'] }, ['x/a', 'x/b', 'x/c']],
    ['an empty list changes nothing', { finalizers: [] }, ['x/a', 'x/b']],
    ['null removes the list', { finalizers: null }, undefined],
    ['items are removed', { '$deleteFromPrimitiveList/finalizers': ['x/none', 'x/a'] }, ['x/b']],
    ['a text removes nothing', { '$deleteFromPrimitiveList/finalizers': 'x' }, ['x/a', 'x/b']],
    ['a number removes nothing', { '$deleteFromPrimitiveList/finalizers': 5 }, ['x/a', 'x/b']],
    ['an object removes nothing', { '$deleteFromPrimitiveList/finalizers': { length: 1 } }, ['x/a', 'x/b']],
    [
      'items are removed and added',
      { '$deleteFromPrimitiveList/finalizers': ['x/a'], finalizers: ['x/c'] },
      ['x/c', 'x/b'],
    ],
    [
      'items come in the order asked for',
      { '$setElementOrder/finalizers': ['x/b', 'x/c', 'x/a'], finalizers: ['x/c'] },
      ['x/b', 'x/c', 'x/a'],
    ],
    [
      'an empty order allows any items',
      { '$setElementOrder/finalizers': [], finalizers: ['x/c'] },
      ['x/a', 'x/b', 'x/c'],
    ],
    ['an order alone sorts the stored items', { '$setElementOrder/finalizers': ['x/b', 'x/a'] }, ['x/b', 'x/a']],
    ['an order for one item leaves the others in place', { '$setElementOrder/finalizers': ['x/b'] }, ['x/a', 'x/b']],
  ])('merges or replaces: %s', (_, patch, expected) => {
    const patched = metadata(stored, patch) as Json;
    expect(patched['finalizers']).toEqual(expected);
    // No directive is left behind.
    expect(Object.keys(patched)).toEqual(expected === undefined ? [] : ['finalizers']);
  });

  it('creates a missing list', () => {
    const patch = { '$setElementOrder/finalizers': ['x/b', 'x/a'], finalizers: ['x/b', 'x/a'] };
    expect(metadata({}, patch)).toEqual({ finalizers: ['x/b', 'x/a'] });
    expect(metadata({}, { '$setElementOrder/finalizers': ['x/a'] })).toEqual({});
  });

  it.each<[Json, string]>([
    [
      { '$setElementOrder/finalizers': ['x/q'], finalizers: ['x/r'] },
      "400 BadRequest The order in patch list:\n[x/r]\n doesn't match $setElementOrder list:\n[x/q]\n",
    ],
    [{ finalizers: ['x/c', 5] }, '400 BadRequest list element types are not identical: [[x/a x/b] [x/c 5]]'],
    [{ finalizers: [null] }, '400 BadRequest list element types are not identical: [[x/a x/b] [<nil>]]'],
  ])('refuses the patch %j', (patch, message) => {
    expect(errorOf(stored, patch)).toBe(message);
  });

  it('refuses to merge lists of lists', () => {
    const wrong = errorOf({ finalizers: [['x']] }, { finalizers: [['y']] });
    expect(wrong).toBe('422 Invalid the server rejected our request due to an error in our request');
  });
});

describe('applyStrategicMerge on lists of objects', () => {
  const stored = { ownerReferences: [owner('u1'), owner('u2')] };

  it.each<[string, Json[], string[]]>([
    ['new items come first', [owner('u3')], ['u3', 'u1', 'u2']],
    ['known items merge', [{ uid: 'u2', name: 'renamed' }], ['u1', 'u2']],
    ['items are deleted', [{ uid: 'u1', $patch: 'delete' }], ['u2']],
    ['the list is replaced', [{ $patch: 'replace' }, owner('u9')], ['u9']],
    ['a new item that comes twice is added once', [owner('u3'), { uid: 'u3', name: 'again' }], ['u3', 'u1', 'u2']],
  ])('merges or replaces: %s', (_, ownerReferences, expected) => {
    expect(uids(metadata(stored, { ownerReferences }))).toEqual(expected);
  });

  it('merges the members of a matching item', () => {
    const patched = metadata(stored, { ownerReferences: [{ uid: 'u2', name: 'renamed', kind: null }] });
    expect(patched).toEqual({ ownerReferences: [owner('u1'), { apiVersion: 'v1', name: 'renamed', uid: 'u2' }] });
  });

  it('orders items by their keys', () => {
    const order = [{ uid: 'u2' }, { uid: 'u3' }, { uid: 'u1' }];
    const patch = { '$setElementOrder/ownerReferences': order, ownerReferences: [owner('u3')] };
    expect(uids(metadata(stored, patch))).toEqual(['u2', 'u3', 'u1']);
    const deleting = {
      '$setElementOrder/ownerReferences': [{ uid: 'u2' }],
      ownerReferences: [{ uid: 'u1', $patch: 'delete' }],
    };
    expect(uids(metadata(stored, deleting))).toEqual(['u2']);
    expect(Object.keys(metadata(stored, deleting) as Json)).toEqual(['ownerReferences']);
    const absent = {
      '$setElementOrder/ownerReferences': [{ uid: 'u2' }, { uid: 'u3' }],
      ownerReferences: [owner('u2'), { uid: 'u1', $patch: 'delete' }, owner('u3')],
    };
    expect(uids(metadata(stored, absent))).toEqual(['u2', 'u3']);
    const replacing = {
      '$setElementOrder/ownerReferences': [{ uid: 'u3' }, { uid: 'u4' }],
      ownerReferences: [{ $patch: 'replace' }, owner('u3'), owner('u4')],
    };
    expect(uids(metadata(stored, replacing))).toEqual(['u3', 'u4']);
  });

  it('drops directives from a new list', () => {
    const ownerReferences = [{ $patch: 'replace' }, { uid: 'u8', $patch: 'delete' }, owner('u9')];
    expect(uids(metadata({}, { ownerReferences }))).toEqual(['u9']);
  });

  it.each<[Json[], string]>([
    [[{ name: 'x' }], '400 BadRequest map: map[name:x] does not contain declared merge key: uid'],
    [[{ $patch: 'delete' }], '400 BadRequest map: map[$patch:delete] does not contain declared merge key: uid'],
    [[{ $patch: 'merge' }], '400 BadRequest merging lists cannot yet be specified in the patch'],
    [[{ $patch: 'odd', uid: 'u1' }], '400 BadRequest unknown patch type: odd in map: map[$patch:odd uid:u1]'],
  ])('refuses the patch %j', (ownerReferences, message) => {
    expect(errorOf(stored, { ownerReferences })).toBe(message);
  });

  it('replaces lists without a merge strategy', () => {
    expect(metadata({ managedFields: [{ manager: 'a' }] }, { managedFields: [{}] })).toEqual({ managedFields: [{}] });
  });
});

describe('applyStrategicMerge, for any patch', () => {
  const key = fc.constantFrom(
    ...['metadata', 'labels', 'finalizers', 'ownerReferences', 'note', 'uid', '__proto__', 'constructor', '$patch'],
    ...[
      '$retainKeys',
      '$setElementOrder/finalizers',
      '$deleteFromPrimitiveList/finalizers',
      '$setElementOrder/ownerReferences',
    ],
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'x/a', 'replace', 'delete', 'u1'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const object = fc.dictionary(key, json, { maxKeys: 4, noNullPrototype: true });

  it('changes no argument, and fails only with client errors', () => {
    const stored: Json = {
      note: 'n',
      metadata: { labels: { a: '1' }, finalizers: ['x/a'], ownerReferences: [owner('u1')] },
    };
    fc.assert(
      fc.property(fc.oneof(object, fc.record({ metadata: object })), (patch) => {
        const before = JSON.stringify([stored, patch]);
        try {
          apply(stored, patch);
        } catch (error) {
          if (!isStatusFailure(error) || ![400, 422].includes(error.status.code ?? 0)) throw error;
        }
        expect(JSON.stringify([stored, patch])).toBe(before);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
    );
  });
});

describe('the order of a merged list', () => {
  const order = (stored: unknown[], wanted: unknown[], list?: unknown[]): unknown =>
    (
      metadata(
        { finalizers: stored },
        { '$setElementOrder/finalizers': wanted, ...(list && { finalizers: list }) },
      ) as Json
    )['finalizers'];

  it.each<[unknown[], unknown[], unknown[] | undefined, unknown[]]>([
    [['a', 'b', 'c'], ['c', 'b', 'a'], undefined, ['c', 'b', 'a']],
    [['a', 'b', 'c'], ['c', 'a'], undefined, ['b', 'c', 'a']],
    [['a', 'b'], ['a'], undefined, ['a', 'b']],
    [['a', 'b', 'c', 'd'], ['d', 'a'], undefined, ['b', 'c', 'd', 'a']],
    [['a', 'b', 'c', 'd'], ['a', 'd', 'e'], ['e'], ['a', 'b', 'c', 'd', 'e']],
    [
      ['a', 'b', 'c'],
      ['e', 'f', 'b'],
      ['e', 'f'],
      ['e', 'f', 'a', 'b', 'c'],
    ],
    [['null', 'a'], ['a', null], undefined, ['null', 'a']],
  ])('of %j with the order %j and the list %j is %j', (stored, wanted, list, expected) => {
    expect(order(stored, wanted, list)).toEqual(expected);
  });

  it('has an item that is stored or sent twice where it came first', () => {
    const merged = (stored: string[], list: string[]): unknown =>
      metadata({ finalizers: stored }, { finalizers: list });
    expect(merged(['a', 'b', 'a'], ['c'])).toEqual({ finalizers: ['c', 'a', 'b'] });
    expect(merged(['z'], ['b', 'c', 'b'])).toEqual({ finalizers: ['b', 'c', 'z'] });
  });

  it('identifies objects without a merge key by their content, and others also by the bare value of the key', () => {
    const list = (...managers: string[]): Json[] => managers.map((manager) => ({ manager }));
    expect(metadata({ managedFields: list('a', 'b') }, { '$setElementOrder/managedFields': list('b', 'a') })).toEqual({
      managedFields: list('b', 'a'),
    });
    const owners = { ownerReferences: [owner('u1'), owner('u2')] };
    expect(uids(metadata(owners, { '$setElementOrder/ownerReferences': ['u2', 'u1'] }))).toEqual(['u2', 'u1']);
  });

  it.each<[Json, string]>([
    [
      { '$setElementOrder/ownerReferences': [{ uid: 'u1' }], ownerReferences: [{ uid: 'u3' }] },
      "400 BadRequest The order in patch list:\n[map[uid:u3]]\n doesn't match $setElementOrder list:\n[map[uid:u1]]\n",
    ],
    [
      { '$setElementOrder/managedFields': ['x'], managedFields: [{ $patch: 'delete' }] },
      "400 BadRequest The order in patch list:\n[map[$patch:delete]]\n doesn't match $setElementOrder list:\n[x]\n",
    ],
    [
      { '$setElementOrder/finalizers': [], finalizers: 'x' },
      '400 BadRequest expected a []interface {}, but received a string',
    ],
  ])('is refused in %j', (patch, message) => {
    expect(errorOf({ ownerReferences: [owner('u1')] }, patch)).toBe(message);
  });

  it('ignores entries without a merge key', () => {
    const patch = {
      '$setElementOrder/ownerReferences': [{ uid: 'u2' }, {}, { uid: 'u1' }],
      ownerReferences: [{ uid: 'u2' }],
    };
    expect(uids(metadata({ ownerReferences: [owner('u1'), owner('u2')] }, patch))).toEqual(['u2', 'u1']);
  });

  it('follows directives about lists that $retainKeys does not mention', () => {
    const stored = { finalizers: ['a', 'b', 'c'], labels: {} };
    expect(
      metadata(stored, {
        $retainKeys: ['finalizers'],
        '$setElementOrder/finalizers': ['c', 'b'],
        '$deleteFromPrimitiveList/finalizers': ['a'],
      }),
    ).toEqual({ finalizers: ['c', 'b'] });
  });
});

describe('an empty list', () => {
  it('takes what is merged into it, without directives', () => {
    expect(metadata({ finalizers: [] }, { finalizers: ['a', 'b'] })).toEqual({ finalizers: ['a', 'b'] });
    const ownerReferences = [
      { ...owner('u3'), controller: null },
      { uid: 'u8', $patch: 'delete' },
    ];
    expect(metadata({ ownerReferences: [] }, { ownerReferences })).toEqual({ ownerReferences: [owner('u3')] });
    expect(errorOf({ finalizers: [] }, { finalizers: [null] })).toBe(
      '400 BadRequest list element types are not identical: [[] [<nil>]]',
    );
  });

  it('is unchanged by the removal of items, as is a list from which none is removed', () => {
    const take = (stored: unknown[], gone: unknown[]): unknown =>
      metadata({ finalizers: stored }, { '$deleteFromPrimitiveList/finalizers': gone });
    expect(take([], ['a', 5])).toEqual({ finalizers: [] });
    expect(take(['a', 5], [])).toEqual({ finalizers: ['a', 5] });
  });
});

describe('a nested value', () => {
  const stored = { annotations: { list: ['a', 'b'], deep: { deeper: { c: 1, d: 2 } } } };

  it('that the schema does not describe is merged like an object, and its lists are replaced or put into order', () => {
    expect(metadata(stored, { annotations: { list: ['c'], deep: { deeper: { c: 3 } } } })).toEqual({
      annotations: { list: ['c'], deep: { deeper: { c: 3, d: 2 } } },
    });
    expect(metadata(stored, { annotations: { deep: { deeper: { c: { e: { f: 1 } } } } } })).toMatchObject({
      annotations: { deep: { deeper: { c: { e: { f: 1 } } } } },
    });
    const deep = { a: { b: { c: { d: 1 }, list: [1] } } };
    expect(metadata({ annotations: deep }, { annotations: { a: { b: { c: { e: 2 }, list: [2] } } } })).toEqual({
      annotations: { a: { b: { c: { d: 1, e: 2 }, list: [2] } } },
    });
    expect(metadata({ annotations: { a: { list: [1] } } }, { annotations: { a: { list: [2] } } })).toEqual({
      annotations: { a: { list: [2] } },
    });
    expect(metadata(stored, { annotations: { '$setElementOrder/list': ['b', 'a'] } })).toMatchObject({
      annotations: { list: ['b', 'a'] },
    });
  });

  it('loses its directives where it is new', () => {
    const labels = { $retainKeys: ['n'], '$deleteFromPrimitiveList/x': ['a'], '$setElementOrder/x': ['a'], n: 'v' };
    expect(metadata({}, { labels })).toEqual({ labels: { n: 'v' } });
    const ownerReferences = [{ ...owner('u1'), $patch: 'replace' }, { $patch: 'replace' }, owner('u2')];
    expect(metadata({}, { ownerReferences })).toEqual({ ownerReferences: [owner('u2')] });
    expect(apply({ note: 'n' }, { series: { $patch: 'delete' } })).toEqual({ note: 'n' });
  });
});

describe('a schema other than that of the Event', () => {
  const scalar = { kind: 'scalar' } as unknown as Shape;
  const list = (more: object): Shape => ({ kind: 'list', patchStrategy: 'merge', item: scalar, ...more }) as Shape;
  const shape = (fields: Record<string, Shape>): StructShape =>
    ({
      kind: 'struct',
      name: 'Other',
      byName: new Map(Object.entries(fields).map(([name, one]) => [name, { shape: one }])),
    }) as unknown as StructShape;

  it('may have maps of lists that are merged', () => {
    const other = shape({ map: { kind: 'map', value: list({}) } as unknown as Shape });
    expect(applyStrategicMerge({ map: { k: ['a'] } }, { map: { k: ['b'] } }, other)).toEqual({
      map: { k: ['b', 'a'] },
    });
  });

  it('cannot have lists of objects that are merged without a merge key', () => {
    const other = shape({ list: list({}) });
    expect(() => applyStrategicMerge({ list: [{ a: 1 }] }, { list: [{ b: 1 }] }, other)).toThrow(
      'cannot merge lists without merge key',
    );
  });
});
