import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import type { FieldShape, ScalarShape, Shape, StructShape } from '../../../../src/api/schema/shape.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import { isInt64 } from '../../../../src/json/json-tree.js';
import { parseTime } from '../../../../src/time/parse-time.js';
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

  test('is made only once', () => {
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

/** Whether a value has the type of a shape; what is absent or null always has. */
function fits(value: unknown, shape: Shape): boolean {
  if (value === undefined || value === null) return true;
  if (shape.kind === 'scalar') return fitsScalar(value, shape.type);
  if (shape.kind === 'list') return Array.isArray(value) && value.every((item) => fits(item, shape.item));
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  if (shape.kind === 'map') return Object.values(value).every((member) => fits(member, shape.value));
  return shape.fields.every(({ name, shape: inner }) => fits((value as Record<string, unknown>)[name], inner));
}

function fitsScalar(value: unknown, type: ScalarShape['type']): boolean {
  if (type === 'json') return true;
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int32')
    return typeof value === 'number' && value === Math.trunc(value) && value >= -(2 ** 31) && value < 2 ** 31;
  if (type === 'int64') return typeof value === 'number' && isInt64(value);
  return typeof value === 'string' && (type === 'string' || !('error' in parseTime(value, type)));
}

describe('the decoder accepts', () => {
  test('all valid events', () => {
    fc.assert(
      fc.property(anyEvent(), (event) => {
        const decoded = decodeObject(event, eventShape());
        expect('fault' in decoded).toBe(false);
        expect(fits((decoded as { object: unknown }).object, eventShape())).toBe(true);
      }),
    );
  });

  test('no event with a value of the wrong type', () => {
    fc.assert(
      fc.property(spoiled, (event) => {
        expect('fault' in decodeObject(event, eventShape())).toBe(!fits(event, eventShape()));
      }),
      { numRuns: 500 },
    );
  });
});
