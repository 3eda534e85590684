import { field, list, metaStruct, scalar, text, type Field } from './facts.js';
import { lazy } from './lazy.js';
import { typeMetaFields } from './object-meta-schema.js';
import type { Shape, StructShape } from './shape.js';

export const deleteOptionsShape: () => StructShape = lazy(() => {
  const set = (shape: Shape, protobuf: number, description: string): Field =>
    field(shape, { protobuf, description, presence: 'set' });
  return metaStruct('DeleteOptions', 'Options of a deletion.', {
    ...typeMetaFields(),
    gracePeriodSeconds: set(scalar('int64'), 1, 'Seconds before the removal. Validated, but without effect on events.'),
    preconditions: field(preconditionsShape(), {
      protobuf: 2,
      description: 'Conditions on the stored object. If one is not met, nothing is deleted and the response is 409.',
    }),
    orphanDependents: set(scalar('bool'), 3, 'Older form of propagationPolicy. Only one of the two may be given.'),
    propagationPolicy: set(
      scalar('string', 'v1.DeletionPropagation'),
      4,
      'What happens to dependents: Orphan, Background or Foreground.',
    ),
    dryRun: field(list(scalar('string')), {
      protobuf: 5,
      description: 'With All, nothing is deleted, and the response is the one that the deletion would get.',
    }),
    ignoreStoreReadErrorWithClusterBreakingPotential: set(
      scalar('bool'),
      6,
      'Accepted from clients that send it, and without effect.',
    ),
  });
});

function preconditionsShape(): StructShape {
  return metaStruct('Preconditions', 'Conditions on the identity and version of the object.', {
    uid: text(1, 'The UID it must have.', { presence: 'set' }, 'types.UID'),
    resourceVersion: text(2, 'The resourceVersion it must have.', { presence: 'set' }),
  });
}
