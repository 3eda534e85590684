import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventWithSidecar, sidecarFields, encodeSidecar } from '../../../../src/store/sidecar/sidecar.js';
import { sampleEvent } from '../../../../src/testing/sample-event.js';

const strings = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));

describe('an event with its sidecar', () => {
  test('is unchanged after a round trip', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.nat(),
        fc.string(),
        strings,
        strings,
        (bytes, at, uid, fields, labels) => {
          const event = { bytes, cut: 1 + (at % bytes.length), uid, fields, labels };
          const again = eventWithSidecar(bytes, encodeSidecar(event));
          expect({ ...again }).toEqual(event);
          expect(again.bytes).toBe(bytes);
        },
      ),
    );
  });

  test('is unchanged after a round trip with any of the known fields', () => {
    const usual = sampleEvent().fields;
    fc.assert(
      fc.property(fc.subarray(Object.keys(usual)), strings, (names, others) => {
        const fields = { ...others, ...Object.fromEntries(names.map((name) => [name, usual[name] as string])) };
        const event = { ...sampleEvent(), fields };
        const sidecar = encodeSidecar(event);
        expect(eventWithSidecar(event.bytes, sidecar).fields).toEqual(fields);
        expect(sidecarFields(sidecar)).toEqual(fields);
      }),
    );
  });

  test('that an earlier version stored is read as it was written', () => {
    const stored =
      '3 ["uid-1",["a","ns","Reason","Normal","c","s","Pod","rns","rname","ruid","v1","7","spec.x"],{"app":"x"},{"other":"y"}]';
    const { cut, uid, fields, labels } = eventWithSidecar(new Uint8Array(10), stored);
    // Where this fails, a field was not appended: what the stores contain would be read with other names.
    expect({ cut, uid, fields, labels }).toEqual({
      cut: 3,
      uid: 'uid-1',
      fields: {
        'metadata.name': 'a',
        'metadata.namespace': 'ns',
        reason: 'Reason',
        type: 'Normal',
        reportingController: 'c',
        source: 's',
        'regarding.kind': 'Pod',
        'regarding.namespace': 'rns',
        'regarding.name': 'rname',
        'regarding.uid': 'ruid',
        'regarding.apiVersion': 'v1',
        'regarding.resourceVersion': '7',
        'regarding.fieldPath': 'spec.x',
        other: 'y',
      },
      labels: { app: 'x' },
    });
  });

  test('keeps keys that are words of JavaScript', () => {
    const labels = JSON.parse('{"__proto__":"plain","constructor":"data"}') as Record<string, string>;
    const event = { ...sampleEvent(), labels };
    const again = eventWithSidecar(event.bytes, encodeSidecar(event));
    expect(Object.keys(again.labels)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(again.labels)).toBe(Object.prototype);
  });

  test('is parsed only when more than its bytes is read', () => {
    const bytes = new Uint8Array(10);
    const event = eventWithSidecar(bytes, '3 this is no JSON');
    expect([event.bytes, event.cut]).toEqual([bytes, 3]);
    expect(() => event.uid).toThrow(SyntaxError);
  });

  test.each(['', ' ["uid",{},{}]', '["uid",{},{}]', '0 []', '11 []', '1.5 []', '-1 []', 'x []', '1x []', '5'])(
    'is refused when its sidecar is damaged: %j',
    (line) => {
      const bytes = new Uint8Array(10);
      expect(() => eventWithSidecar(bytes, line)).toThrow(RangeError);
    },
  );
});
