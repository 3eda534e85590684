import type * as z from 'zod';
import { compileStruct, structOf } from '../api/schema/compile.js';
import { field, scalar, struct, type FieldFacts } from '../api/schema/facts.js';
import { lazy } from '../api/schema/lazy.js';
import { objectMetaSchema, typeMetaFields } from '../api/schema/object-meta-schema.js';
import type { FieldShape, StructShape } from '../api/schema/shape.js';
import type { Event } from '../model/event.js';

const CORE = 'io.k8s.api.core.v1';
const EVENTS = 'io.k8s.api.events.v1';

/**
 * The Event of `events.<api_domain>/v1` as a zod schema: types and known fields (unknown ones are dropped), not the rules
 * on values. Everything else that knows the Event's fields is compiled from it. Made on first use, then always the same.
 */
export const eventSchema: () => z.ZodType<Event> = lazy(() => makeEventSchema() as z.ZodType<Event>);

/** The compiled {@link eventSchema}. */
export const eventShape: () => StructShape = lazy(() => compileStruct(eventSchema()));

function makeEventSchema(): z.ZodType {
  const text = (protobuf: number, description: string): z.ZodType => field(scalar('string'), { protobuf, description });
  const always = { presence: 'always' } as const;
  return struct(
    {
      name: 'Event',
      definition: `${EVENTS}.Event`,
      description:
        'A report of something that happened in the cluster, usually a change of state. Events are informative, best-effort ' +
        'supplemental data: they are kept for a limited time and may be lost, so nothing should depend on one arriving. What ' +
        'triggers an event and what its message says may change over time: readers must not conclude from an equal reason ' +
        'that the trigger is the same, or rely on events with that reason to exist in the future.',
    },
    {
      ...typeMetaFields(),
      metadata: field(objectMetaSchema(), {
        protobuf: 1,
        ...always,
        description: 'Name, namespace, labels and the like.',
      }),
      eventTime: field(scalar('micro-time'), {
        protobuf: 2,
        ...always,
        required: true,
        description: 'When the event was first observed.',
      }),
      series: field(eventSeriesSchema(), {
        protobuf: 3,
        description: 'Says that the event happened several times; absent for one that happened once.',
      }),
      reportingController: text(4, 'Who reports: the name of a controller such as example.com/backup.'),
      reportingInstance: text(5, 'Which instance of the controller reports, at most 128 bytes.'),
      action: text(6, 'What was done or failed, machine-readable, at most 128 bytes.'),
      reason: text(7, 'Why it was done, for people to read, at most 128 bytes.'),
      regarding: field(objectReferenceSchema(), {
        protobuf: 8,
        ...always,
        description: 'The object the event is about.',
      }),
      related: field(objectReferenceSchema(), { protobuf: 9, description: 'A second object that took part.' }),
      note: text(
        10,
        'What happened, for people to read, at most 1024 bytes. Clients must be prepared for up to 64 kB.',
      ),
      type: text(11, 'Normal or Warning, machine-readable; more values may be added later.'),
      deprecatedSource: field(eventSourceSchema(), {
        protobuf: 12,
        ...always,
        description: 'The reporter, as core/v1 has it.',
      }),
      deprecatedFirstTimestamp: field(scalar('time'), {
        protobuf: 13,
        ...always,
        description: 'When it first happened, as core/v1 has it.',
      }),
      deprecatedLastTimestamp: field(scalar('time'), {
        protobuf: 14,
        ...always,
        description: 'When it last happened, as core/v1 has it.',
      }),
      deprecatedCount: field(scalar('int32'), {
        protobuf: 15,
        description: 'How often it happened, as core/v1 has it.',
      }),
    },
  );
}

function eventSeriesSchema(): z.ZodType {
  return struct(
    {
      name: 'EventSeries',
      definition: `${EVENTS}.EventSeries`,
      description: 'How often an event was seen, and when last.',
    },
    {
      count: field(scalar('int32'), {
        protobuf: 1,
        presence: 'always',
        required: true,
        description: 'How many times the event was seen so far, at least 2.',
      }),
      lastObservedTime: field(scalar('micro-time'), {
        protobuf: 2,
        presence: 'always',
        required: true,
        description: 'When the event was seen last.',
      }),
    },
  );
}

function objectReferenceSchema(): z.ZodType {
  const text = (protobuf: number, description: string, goType?: string): z.ZodType =>
    field(scalar('string', goType), { protobuf, description });
  return struct(
    {
      name: 'ObjectReference',
      definition: `${CORE}.ObjectReference`,
      description: 'Points at an object, or at a part of one.',
      atomic: true,
    },
    {
      kind: text(1, 'Kind of the object.'),
      namespace: text(2, 'Namespace of the object.'),
      name: text(3, 'Name of the object.'),
      uid: text(4, 'UID of the object.', 'types.UID'),
      apiVersion: text(5, 'Group and version of the object.'),
      resourceVersion: text(6, 'The version of the object that is meant.'),
      fieldPath: text(7, 'The part that is meant, such as spec.containers{web}.'),
    },
  );
}

function eventSourceSchema(): z.ZodType {
  const text = (protobuf: number, description: string): FieldFacts => ({ protobuf, description });
  return struct(
    { name: 'EventSource', definition: `${CORE}.EventSource`, description: 'Who reports an event, in its older form.' },
    {
      component: field(scalar('string'), text(1, 'The component that reports.')),
      host: field(scalar('string'), text(2, 'The node it runs on.')),
    },
  );
}

/** The fields of core/v1 in its wire order, and what each is called in `events/v1`. */
export const CORE_FIELDS: readonly (readonly [core: string, events: string])[] = [
  ['kind', 'kind'],
  ['apiVersion', 'apiVersion'],
  ['metadata', 'metadata'],
  ['involvedObject', 'regarding'],
  ['reason', 'reason'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

const CORE_REQUIRED: ReadonlySet<string> = new Set(['metadata', 'involvedObject']);
const CORE_ALWAYS: ReadonlySet<string> = new Set(['reportingComponent', 'reportingInstance']);

/** The Event of core/v1: the same facts under its own names, in its own order. */
export const coreEventShape: () => StructShape = lazy(() => {
  const { byName, ...event } = eventShape();
  const fields = CORE_FIELDS.map(([name, stored], index): FieldShape => {
    const original = byName.get(stored) as FieldShape;
    return {
      ...original,
      name,
      shape: name === 'series' ? coreSeries(original.shape as StructShape) : original.shape,
      required: CORE_REQUIRED.has(name),
      presence: CORE_ALWAYS.has(name) ? 'always' : original.presence,
      protobuf: Math.max(0, index - 1),
    };
  });
  return structOf({ ...event, definition: `${CORE}.Event` }, fields);
});

/** In core/v1 nothing of a series is required, and a count of 0 is not written. */
function coreSeries(shape: StructShape): StructShape {
  const fields = shape.fields.map((one): FieldShape => ({
    ...one,
    required: false,
    presence: one.name === 'count' ? 'non-empty' : one.presence,
  }));
  return structOf({ ...shape, definition: `${CORE}.EventSeries` }, fields);
}
