import { describe, expect, it } from 'vitest';
import { joinFieldErrors } from '../../../../src/api/status/field-error.js';
import { MAX_STATUS_LENGTH } from '../../../../src/api/status/status-failure.js';
import { validateObjectMetaCreate, validateObjectMetaUpdate } from '../../../../src/api/validation/object-meta.js';
import { dedupeOwnerReferences } from '../../../../src/api/validation/owner-references.js';
import type { ObjectMeta, OwnerReference } from '../../../../src/model/object-meta.js';

const good: ObjectMeta = { name: 'a', namespace: 'default' };
const owner: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'p1', uid: 'u1' };

/** Errors as `field: text`, with the long explanations cut. */
function short(errors: readonly { field: string; text: string }[]): string[] {
  return errors.map(({ field, text }) => `${field}: ${text.split(' consist of')[0]}`);
}
const created = (meta: ObjectMeta, strict = true): string[] =>
  short(validateObjectMetaCreate({ ...good, ...meta }, strict));
const updated = (next: ObjectMeta, previous: ObjectMeta): string[] =>
  short(validateObjectMetaUpdate({ ...good, ...next }, { ...good, ...previous }, false));

describe('validateObjectMetaCreate', () => {
  it('accepts valid metadata', () => {
    const meta: ObjectMeta = {
      generateName: 'web-',
      labels: { 'example.com/app': 'web', empty: '' },
      annotations: { 'UPPER/x': 'anything at all' },
      finalizers: ['example.com/hold', 'orphan', 'kubernetes'],
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, apiVersion: 'apps/v1' },
      ],
      managedFields: [{ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
    };
    expect(created(meta)).toEqual([]);
    expect(created({ name: 'Foo_Bar', generateName: 'Gen_' }, false)).toEqual([]);
  });

  it.each<[string, ObjectMeta, string[]]>([
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['a name', { name: 'Bad' }, ['metadata.name: Invalid value: "Bad": a lowercase RFC 1123 subdomain must']],
    [
      'a name prefix',
      { generateName: 'Bad_' },
      ['metadata.generateName: Invalid value: "Bad_": a lowercase RFC 1123 subdomain must'],
    ],
    ['no namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    ['a namespace', { namespace: 'a.b' }, ['metadata.namespace: Invalid value: "a.b": must not contain dots']],
    [
      'a generation',
      { generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'labels and annotations',
      { labels: { 'bad key': 'v', ok: 'bad value!' }, annotations: { 'Bad Key': 'v', '/x': 'v' } },
      [
        'metadata.labels: Invalid value: "bad key": name part must',
        'metadata.labels: Invalid value: "bad value!": a valid label must be an empty string or',
        'metadata.annotations: Invalid value: "Bad Key": name part must',
        'metadata.annotations: Invalid value: "/x": prefix part must be non-empty',
      ],
    ],
    [
      'too much annotation',
      { annotations: { k: 'é'.repeat(131_072) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'an empty owner',
      { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      "an owner's version",
      { ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      'two controllers',
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'p2', uid: 'u2', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"p1","uid":"u1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p2","uid":"u2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/p1 and Pod/p2',
      ],
    ],
    [
      'an event as owner',
      { ownerReferences: [{ uid: 'u', name: 'e', kind: 'Event', apiVersion: 'v1' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"e","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'finalizers',
      { finalizers: ['orphan', 'foregroundDeletion', 'a/b/c', 'mine'] },
      [
        'metadata.finalizers: Invalid value: "a/b/c": a valid label key must',
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion","a/b/c","mine"]: finalizer orphan and foregroundDeletion cannot be both set',
        'metadata.finalizers[3]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'managed fields',
      {
        managedFields: [
          { operation: 'X', fieldsType: 'Y', manager: 'a\u0007', subresource: 's'.repeat(257) },
          { operation: 'Apply', manager: 'm'.repeat(129) },
        ],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "Y": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\a": invalid character U+0007 (at position 1)',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
        'metadata.managedFields[1].manager: Too long: may not be more than 128 bytes',
      ],
    ],
  ])('refuses metadata with an error: %s', (_, meta, errors) => {
    expect(created(meta)).toEqual(errors);
  });

  it('limits the number of errors', () => {
    const labels = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`${index}!`, '']));
    expect(created({ labels }).length).toBeLessThan(100);
    const ownerReferences = Array.from({ length: 5000 }, () => ({ ...owner, controller: true }));
    expect(created({ ownerReferences })).toHaveLength(4);
    expect(created({ ownerReferences: ownerReferences.slice(0, 12) })).toHaveLength(10);
  });

  it('requires only a path segment if it is not strict', () => {
    expect(created({ name: 'a%b', finalizers: ['mine'] }, false)).toEqual([
      `metadata.name: Invalid value: "a%b": may not contain '%'`,
    ]);
  });

  it('treats keys such as __proto__ as plain keys', () => {
    const labels = JSON.parse('{"__proto__":"v","constructor":"w"}') as Record<string, string>;
    expect(created({ labels })).toEqual(['metadata.labels: Invalid value: "__proto__": name part must']);
  });
});

describe('validateObjectMetaUpdate', () => {
  it('accepts changes of mutable fields', () => {
    expect(updated({ labels: { a: 'b' }, generation: 2, finalizers: ['x/y'] }, { generation: 1 })).toEqual([]);
  });

  it('reports changes of immutable fields, in order', () => {
    const next: ObjectMeta = {
      name: 'b',
      namespace: 'other',
      uid: 'u2',
      generation: 1,
      creationTimestamp: '2002-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 3,
      labels: { '/x': '' },
      managedFields: [{ operation: 'Patch' }],
    };
    expect(updated(next, { uid: 'u1', generation: 2, creationTimestamp: '2001-01-01T00:00:00Z' })).toEqual([
      'metadata.generation: Invalid value: 1: must not be decremented',
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.namespace: Invalid value: "other": field is immutable',
      'metadata.uid: Invalid value: "u2": field is immutable',
      'metadata.creationTimestamp: Invalid value: "2002-01-01T00:00:00Z": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      'metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable',
      'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
      'metadata.managedFields[0].operation: Invalid value: "Patch": must be `Apply` or `Update`',
    ]);
  });

  it('refuses new finalizers on an object that is being deleted', () => {
    const deleted: ObjectMeta = { deletionTimestamp: '2001-01-01T00:00:00Z', finalizers: ['a/a'] };
    expect(updated({ ...deleted, finalizers: [] }, deleted)).toEqual([]);
    expect(updated({ ...deleted, finalizers: undefined }, deleted)).toEqual([]);
    expect(updated({ ...deleted, finalizers: ['c/c', 'b/b', 'a/a', 'b/b'] }, deleted)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b/b", "c/c"}',
    ]);
  });

  it('quotes only as much of new finalizers as a Status shows', () => {
    const deleted: ObjectMeta = { deletionTimestamp: '2001-01-01T00:00:00Z' };
    const next = Array.from({ length: 300 }, (_, index) => `${String(index).padStart(3, '0')}${'\u0085'.repeat(1000)}`);
    const [text = ''] = updated({ ...deleted, finalizers: next }, deleted);
    const quoted = next.map((finalizer) => `"${finalizer.replaceAll('\u0085', '\\u0085')}"`).join(', ');
    expect(text).toContain(`found new finalizers []string{${quoted.slice(0, MAX_STATUS_LENGTH)}`);
    expect(text.length).toBeLessThan(2 * MAX_STATUS_LENGTH);
    const [one = ''] = updated({ ...deleted, finalizers: ['\u0085'.repeat(100_000)] }, deleted);
    expect(one.length).toBeLessThan(7 * MAX_STATUS_LENGTH);
  });

  it('shows equal errors once in the message', () => {
    const errors = validateObjectMetaUpdate({ ...good, uid: 'z' }, good, false);
    expect(joinFieldErrors([...errors, ...errors])).toBe('metadata.uid: Invalid value: "z": field is immutable');
  });
});

describe('owner references', () => {
  it.each(['', 'apps/', 'a/b/c'])('need a version: %j', (apiVersion) => {
    expect(created({ ownerReferences: [{ ...owner, apiVersion }] })).toEqual([
      `metadata.ownerReferences.apiVersion: Invalid value: "${apiVersion}": version must not be empty`,
    ]);
  });
});

describe('dedupeOwnerReferences', () => {
  it('keeps distinct owners, also with one uid', () => {
    const owners = [owner, { ...owner, name: 'p2' }];
    expect(dedupeOwnerReferences(owners, 'request')).toEqual({ references: owners });
  });

  it('drops equal owners and warns of them', () => {
    const { references, warning } = dedupeOwnerReferences(
      [owner, { ...owner, uid: 'u2' }, { ...owner }, owner],
      'request',
    );
    expect(references.map(({ uid }) => uid)).toEqual(['u1', 'u2']);
    expect(warning).toBe(
      '.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u1, u1',
    );
    expect(dedupeOwnerReferences([owner, owner], 'patch').warning).toMatch(
      /^\.metadata\.ownerReferences contains duplicate entries after mutating admission happens; API server dedups/,
    );
  });
});
