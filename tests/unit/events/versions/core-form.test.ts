import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { encodeJson } from '../../../../src/api/encode/encode-json.js';
import type { StructShape } from '../../../../src/api/schema/shape.js';
import { encodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import { coreName, fromCore, toCore } from '../../../../src/events/versions/core-v1.js';
import type { Event } from '../../../../src/model/event.js';
import { anyEvent } from '../any-event.js';

type Json = Record<string, unknown>;

/** The decoded object; undefined where the value does not fit the shape. */
function decoded(value: unknown, shape: StructShape): Json | undefined {
  const result = decodeObject(value, shape);
  return 'fault' in result ? undefined : result.object;
}

/** An event of the stored form, under the names of core/v1, as a client might send it. */
function renamed(event: Json): Json {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [coreName(name), value]));
}

describe('the two forms of an event', () => {
  test('are equal after a round trip from the stored form to core/v1', () => {
    fc.assert(
      fc.property(anyEvent(), (value) => {
        const event = decoded(value, eventShape());
        fc.pre(event !== undefined);
        expect(fromCore(toCore(event as unknown as Event))).toEqual(event);
      }),
    );
  });

  test('are equal after a round trip from core/v1 to the stored bytes', () => {
    fc.assert(
      fc.property(anyEvent(), (value) => {
        const object = decoded(renamed(value as Json), coreEventShape());
        fc.pre(object !== undefined);
        const stored = fromCore(object as Json);
        const bytes = new TextDecoder().decode(encodeEvent(stored).bytes);
        const { resourceVersion } = stored.metadata;
        const read = JSON.parse(bytes) as Event;
        if (resourceVersion !== undefined) read.metadata.resourceVersion = resourceVersion;
        expect(decoded(JSON.parse(encodeJson(toCore(read), coreEventShape())), coreEventShape())).toEqual(object);
      }),
    );
  });

  test('decode to the same event', () => {
    fc.assert(
      fc.property(anyEvent(), (value) => {
        const event = decoded(value, eventShape());
        fc.pre(event !== undefined);
        expect(fromCore(decoded(renamed(value as Json), coreEventShape()) as Json)).toEqual(event);
      }),
    );
  });

  test('have count 0 in a series without count, where the count is required', () => {
    const series = { lastObservedTime: '2026-03-05T06:07:08.000000Z' };
    const event = fromCore({ metadata: {}, series });
    expect(event.series).toEqual({ count: 0, ...series });
    expect(toCore(event)['series']).toEqual(series);
  });

  test('always have reporter fields in core/v1, which are stored only if they are set', () => {
    expect(toCore({ metadata: {} })).toEqual({ metadata: {}, reportingComponent: '', reportingInstance: '' });
    expect(fromCore({ metadata: {}, reportingComponent: '', reportingInstance: '' })).toEqual({ metadata: {} });
  });

  test.each([
    ['regarding', 'involvedObject'],
    ['note', 'message'],
    ['reportingController', 'reportingComponent'],
    ['deprecatedSource', 'source'],
    ['deprecatedFirstTimestamp', 'firstTimestamp'],
    ['deprecatedLastTimestamp', 'lastTimestamp'],
    ['deprecatedCount', 'count'],
    ['reason', 'reason'],
    ['metadata', 'metadata'],
    ['__proto__', '__proto__'],
  ])('use different names: %s is called %s', (stored, core) => expect(coreName(stored)).toBe(core));
});
