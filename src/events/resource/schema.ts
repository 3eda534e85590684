import { scalar, struct, text, typed } from '../../api/schema/facts.js';
import { lazy } from '../../api/schema/lazy.js';
import { objectMetaShape, typeMetaFields } from '../../api/schema/object-meta-schema.js';
import { olderStruct, type StructShape } from '../../api/schema/shape.js';

const CORE = 'io.k8s.api.core.v1';
const EVENTS = 'io.k8s.api.events.v1';

const always = { presence: 'always' } as const;
const sent = { frequency: 'sent' } as const;

/** The fields of the Event with Kubernetes' facts about them, without rules on values. All else is derived from it. */
export const eventShape: () => StructShape = lazy(() =>
  struct(
    {
      name: 'Event',
      definition: `${EVENTS}.Event`,
      olderDefinition: `${CORE}.Event`,
      description:
        'A report of something that happened in the cluster, usually a change of state. Events are informative, best-effort ' +
        'supplemental data: they are kept for a limited time and may be lost, so nothing should depend on one arriving. What ' +
        'triggers an event and what its message says may change over time: readers must not conclude from an equal reason ' +
        'that the trigger is the same, or rely on events with that reason to exist in the future.',
    },
    {
      ...typeMetaFields(),
      metadata: typed(objectMetaShape(), 1, 'Standard object metadata: name, namespace, labels and so on.', {
        ...always,
        ...sent,
        mutable: true,
        older: { required: true },
      }),
      eventTime: typed(scalar('micro-time'), 2, 'When the event was first observed.', {
        ...always,
        ...sent,
        required: true,
        older: { protobuf: 10, required: false },
      }),
      series: typed(
        eventSeriesShape(),
        3,
        'Set if this event stands for several occurrences; absent for a single one.',
        { mutable: true, frequency: 'often', older: { protobuf: 11 } },
      ),
      reportingController: text(4, 'The name of the controller that reported the event, such as example.com/backup.', {
        ...sent,
        selectable: 4,
        older: { name: 'reportingComponent', protobuf: 14, presence: 'always' },
      }),
      reportingInstance: text(5, 'The instance of the controller that reported the event, at most 128 bytes.', {
        ...sent,
        older: { protobuf: 15, presence: 'always' },
      }),
      action: text(6, 'The action that was taken or failed, machine-readable, at most 128 bytes.', {
        ...sent,
        older: { protobuf: 12 },
      }),
      reason: text(7, 'Why the action was taken, for people to read, at most 128 bytes.', {
        ...sent,
        selectable: 2,
        older: { protobuf: 3 },
      }),
      regarding: typed(objectReferenceShape(), 8, 'The object that the event is about.', {
        ...always,
        ...sent,
        selectable: 6,
        older: { name: 'involvedObject', protobuf: 2, required: true },
      }),
      related: typed(objectReferenceShape(), 9, 'A second object that was involved.', {
        frequency: 'often',
        older: { protobuf: 13 },
      }),
      note: text(
        10,
        'What happened, for people to read, at most 1024 bytes. Clients must be prepared for up to 64 kB.',
        { ...sent, older: { name: 'message', protobuf: 4 } },
      ),
      type: text(11, 'Normal or Warning, machine-readable; more values may be added later.', {
        ...sent,
        selectable: 3,
        older: { protobuf: 9 },
      }),
      deprecatedSource: typed(
        eventSourceShape(),
        12,
        'The component that reported the event; used by events of core/v1.',
        { ...always, older: { name: 'source', protobuf: 5 } },
      ),
      deprecatedFirstTimestamp: typed(scalar('time'), 13, 'Time of the first occurrence; used by events of core/v1.', {
        ...always,
        older: { name: 'firstTimestamp', protobuf: 6 },
      }),
      deprecatedLastTimestamp: typed(scalar('time'), 14, 'Time of the last occurrence; used by events of core/v1.', {
        ...always,
        older: { name: 'lastTimestamp', protobuf: 7 },
      }),
      deprecatedCount: typed(scalar('int32'), 15, 'Number of occurrences; used by events of core/v1.', {
        older: { name: 'count', protobuf: 8 },
      }),
    },
  ),
);

/** The field selector `source`: not a field of an event, but the first of these fields that is not empty. */
export const SOURCE = {
  name: 'source',
  selectable: 5,
  of: [['deprecatedSource', 'component'], ['reportingController']],
} as const;

function eventSeriesShape(): StructShape {
  return struct(
    {
      name: 'EventSeries',
      definition: `${EVENTS}.EventSeries`,
      olderDefinition: `${CORE}.EventSeries`,
      description: 'The number of occurrences of an event, and the time of the last one.',
    },
    {
      count: typed(scalar('int32'), 1, 'The number of occurrences so far, at least 2.', {
        presence: 'always',
        required: true,
        older: { presence: 'non-empty', required: false },
      }),
      lastObservedTime: typed(scalar('micro-time'), 2, 'When the event was last observed.', {
        presence: 'always',
        required: true,
        older: { required: false },
      }),
    },
  );
}

function objectReferenceShape(): StructShape {
  const own = { ...sent, distinct: true } as const;
  return struct(
    {
      name: 'ObjectReference',
      definition: `${CORE}.ObjectReference`,
      description: 'A reference to an object, or to a part of one.',
      atomic: true,
    },
    {
      kind: text(1, 'Kind of the object.', sent),
      namespace: text(2, 'Namespace of the object.', sent),
      name: text(3, 'Name of the object.', own),
      uid: text(4, 'UID of the object.', own, 'types.UID'),
      apiVersion: text(5, 'Group and version of the object.', sent),
      resourceVersion: text(6, 'The version of the object that is referred to.', { distinct: true }),
      fieldPath: text(7, 'The part of the object that is referred to, such as spec.containers{web}.'),
    },
  );
}

function eventSourceShape(): StructShape {
  return struct(
    {
      name: 'EventSource',
      definition: `${CORE}.EventSource`,
      description: 'The component that reported an event of core/v1.',
    },
    { component: text(1, 'The name of the component.'), host: text(2, 'The node on which the component runs.') },
  );
}

/** Returns the shape of the Event of core/v1: the same facts with the names and the order of core/v1. */
export const coreEventShape: () => StructShape = lazy(() => olderStruct(eventShape()));
