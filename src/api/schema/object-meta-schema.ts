import { list, META, metaStruct, scalar, SET, stringMap, struct, text, typed, type Field } from './facts.js';
import type { StructShape } from './shape.js';

export function typeMetaFields(): Record<'kind' | 'apiVersion', Field> {
  const optional = 'May be left out where the path already says it.';
  return {
    kind: text(0, `The kind of object this is. ${optional}`),
    apiVersion: text(0, `Group and version this form of the object belongs to. ${optional}`),
  };
}

export function objectMetaShape(): StructShape {
  const description = 'The metadata of a stored object: its name, identity, version, labels and owners.';
  return metaStruct('ObjectMeta', description, {
    name: text(1, 'The name of the object, unique within its namespace. It cannot be changed.', {
      selectable: 0,
      frequency: 'sent',
      distinct: true,
    }),
    generateName: text(2, 'The beginning of a name that the server completes. Used only if name is empty.'),
    namespace: text(3, 'The namespace of the object. It cannot be changed.', { selectable: 1, frequency: 'sent' }),
    selfLink: text(4, 'Accepted from old clients, and not stored.', { discarded: true }),
    uid: text(
      5,
      'Distinguishes this object from earlier and later ones with the same name. Set by the server.',
      { frequency: 'stored' },
      'types.UID',
    ),
    resourceVersion: text(
      6,
      'An opaque text that changes with every write. Send it with an update to prevent lost updates.',
      { frequency: 'stored' },
    ),
    generation: typed(scalar('int64'), 7, 'Counts changes of the desired state.'),
    creationTimestamp: typed(scalar('time'), 8, 'When the server first stored the object.', { frequency: 'stored' }),
    deletionTimestamp: typed(
      scalar('time'),
      9,
      'When deletion was requested. The object is removed once it has no finalizers. Set by the server.',
      SET,
    ),
    deletionGracePeriodSeconds: typed(
      scalar('int64'),
      10,
      'How many seconds were allowed between the request for deletion and the removal.',
      SET,
    ),
    labels: typed(stringMap(), 11, 'Short keys and values, by which selectors choose objects.', { frequency: 'often' }),
    annotations: typed(stringMap(), 12, 'Keys and values of any content, which selectors do not use.', {
      frequency: 'often',
    }),
    ownerReferences: typed(
      list(ownerReferenceShape(), { type: 'map', keys: ['uid'], patchStrategy: 'merge', patchMergeKey: 'uid' }),
      13,
      'The objects this one depends on. At most one of them is its controller.',
    ),
    finalizers: typed(
      list(scalar('string'), { type: 'set', patchStrategy: 'merge' }),
      14,
      'Controllers that must finish before the object is removed.',
    ),
    managedFields: typed(
      list(managedFieldsEntryShape()),
      17,
      'Which manager set which fields. Maintained by the server.',
      SET,
    ),
  });
}

function ownerReferenceShape(): StructShape {
  const always = { presence: 'always', required: true } as const;
  const description = 'An owner of an object, in the same namespace or in none.';
  return struct(
    { name: 'OwnerReference', definition: `${META}.OwnerReference`, description, atomic: true },
    {
      apiVersion: text(5, 'Group and version of the owner.', always),
      kind: text(1, 'Kind of the owner.', always),
      name: text(3, 'Name of the owner.', always),
      uid: text(4, 'UID of the owner.', always, 'types.UID'),
      controller: typed(scalar('bool'), 6, 'True for the owner that manages the object.', SET),
      blockOwnerDeletion: typed(
        scalar('bool'),
        7,
        'True if the owner must not be removed before this object in a foreground deletion.',
        SET,
      ),
    },
  );
}

function managedFieldsEntryShape(): StructShape {
  return metaStruct('ManagedFieldsEntry', 'The fields one manager has set by one kind of operation.', {
    manager: text(1, 'The name of the manager.'),
    operation: text(2, 'How the fields were set: Apply or Update.', {}, 'v1.ManagedFieldsOperationType'),
    apiVersion: text(3, 'The version the field names belong to.'),
    time: typed(scalar('time'), 4, 'When the entry last changed.', SET),
    fieldsType: text(6, 'The format of the fields: FieldsV1.'),
    fieldsV1: typed(scalar('json', 'v1.FieldsV1'), 7, 'The fields, as a tree of keys.', SET),
    subresource: text(8, 'The subresource through which the fields were set, empty for the object itself.'),
  });
}
