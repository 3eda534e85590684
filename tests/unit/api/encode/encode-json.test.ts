import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { parseJson } from '../../../../src/api/body/parse-body.js';
import { MAX_MEMBERS } from '../../../../src/json/member-count.js';
import { encodeJson } from '../../../../src/api/encode/encode-json.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import { anyEvent } from '../../events/any-event.js';

const encode = (object: Record<string, unknown>): string => encodeJson(object, eventShape());

describe('the presence of fields', () => {
  test('includes required fields that are unset', () => {
    expect(encode({})).toBe(
      '{"metadata":{},"eventTime":null,"regarding":{},"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null}',
    );
    expect(encodeJson({}, coreEventShape())).toBe(
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    );
  });

  test('excludes empty values, but not pointers and structs', () => {
    const metadata = {
      name: '',
      generation: 0,
      deletionGracePeriodSeconds: 0,
      labels: {},
      finalizers: [],
      ownerReferences: [{ controller: false }],
      selfLink: '/x',
    };
    const text = encode({ metadata, note: '', deprecatedCount: 0, series: {}, related: {}, bogus: 1 });
    expect(text).toContain(
      '"metadata":{"deletionGracePeriodSeconds":0,"ownerReferences":[{"apiVersion":"","kind":"","name":"","uid":"","controller":false}]}',
    );
    expect(text).toContain('"series":{"count":0,"lastObservedTime":null}');
    expect(text).toContain('"related":{}');
    expect(text).not.toMatch(/note|deprecatedCount|bogus|selfLink/);
  });
});

test('fields are in wire order', () => {
  const text = encode({ type: 'T', reason: 'r', apiVersion: 'v', metadata: { uid: 'u', name: 'n' }, kind: 'Event' });
  expect(text).toMatch(
    /^\{"kind":"Event","apiVersion":"v","metadata":\{"name":"n","uid":"u"\},"eventTime":null,"reason":"r",/,
  );
});

test('map keys are sorted by their bytes', () => {
  const labels = Object.fromEntries(['b', '10', '9', 'a', 'ab', '\uffff', '😀', '__proto_'].map((key) => [key, 'x']));
  expect(encode({ metadata: { labels } })).toContain(
    '"labels":{"10":"x","9":"x","__proto_":"x","a":"x","ab":"x","b":"x","\uffff":"x","😀":"x"}',
  );
});

test('texts have JSON escapes, no HTML escapes and no half surrogates', () => {
  expect(encode({ note: '<&>"\\\n\u0001😀\ud800' })).toContain('"note":"<&>\\"\\\\\\n\\u0001😀\ufffd"');
});

describe('for any event', () => {
  test('decoding what was encoded gives it back', () => {
    fc.assert(
      fc.property(anyEvent(), (event) => {
        const decoded = decodeObject(event, eventShape());
        if ('fault' in decoded) throw new Error(decoded.fault.text);
        const text = encode(decoded.object);
        const parsed = parseJson(text, MAX_MEMBERS);
        if ('error' in parsed) throw new Error(parsed.error);
        const again = decodeObject(parsed.document.value, eventShape(), parsed.document);
        expect(again).toEqual({ object: decoded.object, strictErrors: [] });
        expect(JSON.parse(text)).toEqual(decoded.object);
      }),
    );
  });
});
