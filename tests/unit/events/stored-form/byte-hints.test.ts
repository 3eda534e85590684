import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { encodeEvent } from '../../../../src/events/stored-form/encode-event.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import type { Event } from '../../../../src/model/event.js';
import type { ByteHints } from '../../../../src/store/contract/byte-hints.js';
import type { EncodedEvent } from '../../../../src/store/contract/record.js';
import { anyEvent } from '../any-event.js';

const commonEvent = (): Event => ({
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 'u-1',
    creationTimestamp: '2024-03-05T06:07:08Z',
    labels: { app: 'web' },
  },
  eventTime: '2024-03-05T06:07:08.123456Z',
  reportingController: 'example.com/c',
  regarding: { kind: 'Pod', namespace: 'shop', name: 'web', uid: 'p', resourceVersion: '12345' },
  note: 'a note',
  type: 'Normal',
});
const MANAGED = '[{"manager":"m","operation":"Update","fieldsType":"FieldsV1"}]';

const hintsOf = ({ hints }: EncodedEvent): ByteHints => {
  if (hints === undefined) throw new Error('there are hints');
  return hints;
};
const textAt = ({ bytes }: EncodedEvent, start: number, end?: number): string =>
  new TextDecoder().decode(bytes.subarray(start, end));
const sharedTexts = (encoded: EncodedEvent): string[] =>
  hintsOf(encoded).shared.map(({ start, end }) => textAt(encoded, start, end));

describe('the hints of an encoded event', () => {
  test('have the positions of the key, the uid and the version of the regarding object', () => {
    const encoded = encodeEvent(commonEvent(), MANAGED);
    const { name, namespace, uid, regardingVersion, suffix } = hintsOf(encoded);
    expect(textAt(encoded, name, name + 5)).toBe('web-1');
    expect(textAt(encoded, namespace, namespace + 4)).toBe('shop');
    expect(textAt(encoded, uid, uid + 3)).toBe('u-1');
    expect(textAt(encoded, regardingVersion, regardingVersion + 5)).toBe('12345');
    expect(textAt(encoded, suffix)).toBe(
      ',"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}',
    );
  });

  test('offer as shared parts the managed fields with what closely precedes them, alone, and without their time', () => {
    const managed = `"managedFields":${MANAGED}},`;
    const timeless = managed.slice(managed.indexOf('"fieldsType"'));
    const close = '"creationTimestamp":"2024-03-05T06:07:08Z","labels":{"app":"web"},';
    expect(sharedTexts(encodeEvent(commonEvent(), MANAGED))).toEqual([close + managed, managed, timeless]);
    const labelled = (length: number): Event => {
      const event = commonEvent();
      event.metadata.labels = { app: 'x'.repeat(length) };
      return event;
    };
    const most = 160 - close.length + 'web'.length;
    expect(sharedTexts(encodeEvent(labelled(most), MANAGED))).toHaveLength(3);
    expect(sharedTexts(encodeEvent(labelled(most + 1), MANAGED))).toEqual([managed, timeless]);
    expect(sharedTexts(encodeEvent(commonEvent()))).toEqual([]);
    const { creationTimestamp: _, labels: __, ...metadata } = commonEvent().metadata;
    expect(sharedTexts(encodeEvent({ ...commonEvent(), metadata }, MANAGED))).toEqual([managed, timeless]);
    const typed = { ...commonEvent(), reason: 'fieldsType' };
    expect(sharedTexts(encodeEvent(typed, '[{"manager":"m"}]'))).toHaveLength(2);
  });

  test('are the same with a note that is not ASCII, and correct after annotations that are not', () => {
    const note = { ...commonEvent(), note: 'ü😀' };
    const { suffix: _, ...hints } = hintsOf(encodeEvent(commonEvent(), MANAGED));
    expect(hintsOf(encodeEvent(note, MANAGED))).toMatchObject(hints);
    const labelled = commonEvent();
    labelled.metadata.annotations = { app: 'ü😀' };
    const encoded = encodeEvent(labelled, MANAGED);
    expect(sharedTexts(encoded)[1]).toBe(`"managedFields":${MANAGED}},`);
    const { regardingVersion } = hintsOf(encoded);
    expect(textAt(encoded, regardingVersion, regardingVersion + 5)).toBe('12345');
    const about = commonEvent();
    about.regarding = { ...about.regarding, name: 'ü😀' };
    const spoken = encodeEvent(about, MANAGED);
    const start = hintsOf(spoken).regardingVersion;
    expect(textAt(spoken, start, start + 5)).toBe('12345');
    const { regarding: __, ...without } = labelled;
    expect(hintsOf(encodeEvent(without, MANAGED)).regardingVersion).toBe(-1);
  });

  test('are empty for what the event does not have', () => {
    const { regarding: _, ...event } = commonEvent();
    const other = encodeEvent({
      ...event,
      metadata: { generateName: 'web-', name: 'web-1', namespace: 'shop' },
      deprecatedCount: 2,
    });
    expect(hintsOf(other)).toEqual({
      name: -1,
      namespace: -1,
      uid: -1,
      regardingVersion: -1,
      shared: [],
      suffix: -1,
    });
  });

  test('are within the bytes and at the same text, for any event', () => {
    const decoded = (input: unknown): Event => {
      const result = decodeObject(input, eventShape());
      if ('fault' in result) throw new Error(result.fault.text);
      return result.object as unknown as Event;
    };
    fc.assert(
      fc.property(anyEvent(), (sent) => {
        const event = decoded(sent);
        const encoded = encodeEvent(event);
        const { shared, suffix, regardingVersion } = hintsOf(encoded);
        const version = event.regarding?.resourceVersion;
        if (version) {
          const quoted = JSON.stringify(version);
          const start = regardingVersion - 1;
          const end = start + new TextEncoder().encode(quoted).length;
          expect(textAt(encoded, start, end)).toBe(quoted);
        }
        for (const { start, end } of shared) {
          expect(start).toBeGreaterThanOrEqual(encoded.cut);
          expect(textAt(encoded, start, end)).toMatch(/^[,{]?"\w+":[^]*\]\},$/);
          expect(textAt(encoded, end)).toMatch(/^"eventTime":/);
        }
        expect(suffix).toBeLessThan(encoded.bytes.length);
      }),
    );
  });
});
