import { list, metaStruct, scalar, struct, text, typed, type Field, SET } from './facts.js';
import { lazy } from './lazy.js';
import type { StructShape, Shape } from './shape.js';
import { typeMetaFields } from './object-meta-schema.js';

const REQUIRED = { required: true } as const;
export const TYPE_META: Readonly<Record<'kind' | 'apiVersion', Field>> = {
  kind: text(0, 'The kind of object this is.'),
  apiVersion: text(0, 'Group and version this form of the object belongs to.'),
};

export const listMetaShape: () => StructShape = lazy(() =>
  metaStruct('ListMeta', 'The metadata of a list.', {
    continue: text(3, 'Where the next page begins; empty on the last one.'),
    remainingItemCount: typed(scalar('int64'), 4, 'How many items follow this page, if that is known.', SET),
    resourceVersion: text(2, 'The version of the whole list. A watch may begin here.'),
    selfLink: text(1, 'No longer used.'),
  }),
);

export const statusShape: () => StructShape = lazy(() => {
  const cause = metaStruct('StatusCause', 'One of several reasons for a failure.', {
    reason: text(1, 'The reason, for machines.'),
    message: text(2, 'The reason, for people to read.'),
    field: text(3, 'The field that caused the failure.'),
  });
  const details = metaStruct('StatusDetails', 'Details about the failure or the deleted object.', {
    name: text(1, 'The name of the object.'),
    group: text(2, 'The API group of the object.'),
    kind: text(3, 'The resource, or the kind where an object was invalid.'),
    uid: text(6, 'The UID of the object.'),
    causes: typed(list(cause), 4, 'The individual reasons for a failure.'),
    retryAfterSeconds: typed(scalar('int32'), 5, 'After how many seconds the client may try again.'),
  });
  return metaStruct('Status', 'The response to a request that failed, or to a deletion.', {
    ...TYPE_META,
    metadata: typed(listMetaShape(), 1, 'For an expired page: a token with which the list can be continued.', {
      presence: 'always',
    }),
    status: text(2, 'Success or Failure.'),
    message: text(3, 'What happened, for people to read.'),
    reason: text(4, 'What happened, for machines.'),
    details: typed(details, 5, 'More about the failure, or about what was deleted.'),
    code: typed(scalar('int32'), 6, 'The HTTP status code.'),
  });
});

export const apiResourceListShape: () => StructShape = lazy(() => {
  const texts = list(scalar('string'));
  const resource = metaStruct('APIResource', 'A resource.', {
    name: text(1, 'The plural name, as in paths.', REQUIRED),
    singularName: text(6, 'The singular name.', REQUIRED),
    namespaced: typed(scalar('bool'), 2, 'Whether its objects are in namespaces.', REQUIRED),
    group: text(8, 'The group of the kind, where it is another one.'),
    version: text(9, 'The version of the kind, where it is another one.'),
    kind: text(3, 'The kind of its objects.', REQUIRED),
    verbs: typed(list(scalar('string'), { named: true }), 4, 'The verbs that are supported.', REQUIRED),
    shortNames: typed(texts, 5, 'Shorter names for the command line.'),
    categories: typed(texts, 7, 'Groups of resources it belongs to.'),
    storageVersionHash: text(10, 'A hash of the version in which objects are stored.'),
  });
  return metaStruct('APIResourceList', 'The resources of a group and version.', {
    ...TYPE_META,
    groupVersion: text(1, 'The group and version.', REQUIRED),
    resources: typed(list(resource), 2, 'The resources.', REQUIRED),
  });
});

export const watchEventShape: () => StructShape = lazy(() => {
  const definition = 'io.k8s.apimachinery.pkg.runtime.RawExtension';
  const any = struct({ name: 'RawExtension', definition, description: 'An object of any kind.' }, {});
  return metaStruct('WatchEvent', 'One change of a watch.', {
    type: text(1, 'ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.', REQUIRED),
    object: typed(any, 2, 'The object after the change, the last state of a deleted one, or a Status.', REQUIRED),
  });
});

export const patchShape: () => StructShape = lazy(() =>
  metaStruct('Patch', 'A patch in the format of its content type.', {}),
);

export const deleteOptionsShape: () => StructShape = lazy(() => {
  const set = (shape: Shape, protobuf: number, description: string): Field => typed(shape, protobuf, description, SET);
  return metaStruct('DeleteOptions', 'Options of a deletion.', {
    ...typeMetaFields(),
    gracePeriodSeconds: set(scalar('int64'), 1, 'Seconds before the removal. Validated, but without effect on events.'),
    preconditions: typed(
      preconditionsShape(),
      2,
      'Conditions on the stored object. If one is not met, nothing is deleted and the response is 409.',
    ),
    orphanDependents: set(scalar('bool'), 3, 'Older form of propagationPolicy. Only one of the two may be given.'),
    propagationPolicy: set(
      scalar('string', 'v1.DeletionPropagation'),
      4,
      'What happens to dependents: Orphan, Background or Foreground.',
    ),
    dryRun: typed(
      list(scalar('string')),
      5,
      'With All, nothing is deleted, and the response is the one that the deletion would get.',
    ),
    ignoreStoreReadErrorWithClusterBreakingPotential: set(
      scalar('bool'),
      6,
      'Accepted from clients that send it, and without effect.',
    ),
  });
});

function preconditionsShape(): StructShape {
  return metaStruct('Preconditions', 'Conditions on the identity and version of the object.', {
    uid: text(1, 'The UID it must have.', SET, 'types.UID'),
    resourceVersion: text(2, 'The resourceVersion it must have.', SET),
  });
}
