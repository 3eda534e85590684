import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import type { FieldShape, StructShape } from '../../../../src/api/schema/shape.js';
import { coreEventShape, eventSchema, eventShape } from '../../../../src/events/resource/schema.js';
import { anyEvent } from '../any-event.js';

const names = (shape: StructShape): string => shape.fields.map((field) => field.name).join();
const numbers = (shape: StructShape): string => shape.fields.map((field) => field.protobuf).join();
const field = (shape: StructShape, name: string): FieldShape => shape.byName.get(name) as FieldShape;
const struct = (shape: StructShape, name: string): StructShape => field(shape, name).shape as StructShape;

describe('the shape of an Event', () => {
  test('has wire order, presence and protobuf numbers', () => {
    expect(names(eventShape())).toBe(
      'kind,apiVersion,metadata,eventTime,series,reportingController,reportingInstance,action,reason,regarding,related,note,type,deprecatedSource,deprecatedFirstTimestamp,deprecatedLastTimestamp,deprecatedCount',
    );
    expect(numbers(eventShape())).toBe('0,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15');
    const always = eventShape().fields.filter((one) => one.presence === 'always');
    expect(always.map((one) => `${one.name}=${JSON.stringify(one.zero)}`).join(' ')).toBe(
      'metadata={} eventTime=null regarding={} deprecatedSource={} deprecatedFirstTimestamp=null deprecatedLastTimestamp=null',
    );
    expect(
      eventShape()
        .fields.filter((one) => one.required)
        .map((one) => one.name),
    ).toEqual(['eventTime']);
  });

  test('includes the shapes of its parts', () => {
    const meta = struct(eventShape(), 'metadata');
    expect(names(meta)).toBe(
      'name,generateName,namespace,selfLink,uid,resourceVersion,generation,creationTimestamp,deletionTimestamp,deletionGracePeriodSeconds,labels,annotations,ownerReferences,finalizers,managedFields',
    );
    expect(numbers(meta)).toBe('1,2,3,4,5,6,7,8,9,10,11,12,13,14,17');
    expect(field(meta, 'ownerReferences').shape).toMatchObject({
      type: 'map',
      keys: ['uid'],
      patchStrategy: 'merge',
      patchMergeKey: 'uid',
    });
    expect(field(meta, 'finalizers').shape).toMatchObject({ type: 'set', patchStrategy: 'merge' });
    expect(field(meta, 'managedFields').shape).toMatchObject({ type: 'atomic', patchStrategy: 'replace' });
    expect(struct(eventShape(), 'regarding').atomic).toBe(true);
    expect(numbers(struct(eventShape(), 'series'))).toBe('1,2');
  });

  test('is different in core/v1', () => {
    expect(names(coreEventShape())).toBe(
      'kind,apiVersion,metadata,involvedObject,reason,message,source,firstTimestamp,lastTimestamp,count,type,eventTime,series,action,related,reportingComponent,reportingInstance',
    );
    expect(numbers(coreEventShape())).toBe('0,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15');
    expect(struct(coreEventShape(), 'series').definition).toBe('io.k8s.api.core.v1.EventSeries');
    expect(struct(eventShape(), 'series').definition).toBe('io.k8s.api.events.v1.EventSeries');
  });

  test('is compiled only once, like the schema', () => {
    expect(eventSchema()).toBe(eventSchema());
    expect(eventShape()).toBe(eventShape());
    expect(coreEventShape()).toBe(coreEventShape());
  });
});

/** Puts a value of the wrong type somewhere into an event. */
const spoiled = fc
  .tuple(
    anyEvent(),
    fc.nat(),
    fc.oneof(fc.constant('x'), fc.integer(), fc.boolean(), fc.constant([]), fc.constant({}), fc.double()),
  )
  .map(([event, choice, value]) => {
    const copy = structuredClone(event);
    const places: [Record<string, unknown>, string][] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, member] of Object.entries(node)) {
        places.push([node as Record<string, unknown>, key]);
        walk(member);
      }
    };
    walk(copy);
    const [owner, key] = places[choice % places.length] as [Record<string, unknown>, string];
    Object.defineProperty(owner, key, { value, writable: true, enumerable: true, configurable: true });
    return copy;
  });

describe('the schema and the compiled decoder agree', () => {
  test('on valid events, before and after decoding', () => {
    fc.assert(
      fc.property(anyEvent(), (event) => {
        const decoded = decodeObject(event, eventShape());
        expect('fault' in decoded).toBe(false);
        expect(eventSchema().safeParse(event).success).toBe(true);
        const { object } = decoded as { object: unknown };
        expect(eventSchema().parse(object)).toEqual(object);
      }),
    );
  });

  test('on events with a value of the wrong type', () => {
    const required = /"(?:apiVersion|kind|name|uid|count|lastObservedTime|metadata)"/;
    fc.assert(
      fc.property(spoiled, (event) => {
        const decoded = !('fault' in decodeObject(event, eventShape()));
        const result = eventSchema().safeParse(event);
        // Go fills what is missing; the schema, which describes whole events, asks for it.
        const missing = result.error?.issues.every(
          (issue) => required.test(JSON.stringify(issue.path.at(-1))) && /undefined/.test(issue.message),
        );
        expect(decoded).toBe(result.success || missing === true);
      }),
      { numRuns: 500 },
    );
  });
});

test('unknown fields are dropped by the schema', () => {
  expect(eventSchema().parse({ metadata: { name: 'a', x: 1 }, bogus: 1 })).toEqual({ metadata: { name: 'a' } });
});
