import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { parseJson } from '../../../../src/api/body/parse-body.js';
import { MAX_MEMBERS } from '../../../../src/json/member-count.js';
import { eventShape } from '../../../../src/events/resource/schema.js';
import { anyEvent } from '../../events/any-event.js';

const decode = (json: string) => {
  const result = parseJson(json, MAX_MEMBERS);
  if ('error' in result) throw new Error(result.error);
  return decodeObject(result.document.value, eventShape(), result.document);
};
const object = (json: string): Record<string, unknown> => {
  const decoded = decode(json);
  if ('fault' in decoded) throw new Error(decoded.fault.text);
  return decoded.object;
};
const strict = (json: string): readonly string[] => {
  const decoded = decode(json);
  if ('fault' in decoded) throw new Error(decoded.fault.text);
  return decoded.strictErrors;
};
const fault = (json: string): string | undefined => {
  const decoded = decode(json);
  return 'fault' in decoded ? decoded.fault.text : undefined;
};

const EMPTY = {
  metadata: {},
  eventTime: null,
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

describe('the object is canonical', () => {
  test('with required fields filled, null as absent, and empty values dropped', () => {
    expect(object('{}')).toEqual(EMPTY);
    expect(object('null')).toEqual(EMPTY);
    expect(object('{"metadata":null,"note":"","deprecatedCount":0,"eventTime":null,"related":null}')).toEqual(EMPTY);
    expect(object('{"metadata":{"labels":{},"finalizers":[],"ownerReferences":null}}')).toEqual(EMPTY);
  });

  test('with fields in wire order, whatever order they came in', () => {
    const keys = Object.keys(object('{"type":"Normal","note":"n","metadata":{"uid":"u","name":"a"},"action":"A"}'));
    expect(keys.join()).toBe(
      'metadata,eventTime,action,regarding,note,type,deprecatedSource,deprecatedFirstTimestamp,deprecatedLastTimestamp',
    );
  });

  test('with a given struct kept and its required fields filled', () => {
    const { series, related, metadata } = object('{"series":{},"related":{},"metadata":{"ownerReferences":[{},null]}}');
    expect(series).toEqual({ count: 0, lastObservedTime: null });
    expect(related).toEqual({});
    const owner = { apiVersion: '', kind: '', name: '', uid: '' };
    expect(metadata).toEqual({ ownerReferences: [owner, owner] });
  });

  test('with false and 0 kept in pointers', () => {
    const { metadata } = object(
      '{"metadata":{"deletionGracePeriodSeconds":0,"generation":0,"ownerReferences":[{"controller":false,"blockOwnerDeletion":null}]}}',
    );
    expect(metadata).toEqual({
      deletionGracePeriodSeconds: 0,
      ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '', controller: false }],
    });
  });

  test('with the zero value for null in a list or map', () => {
    expect(object('{"metadata":{"annotations":{"a":null},"finalizers":[null,"x"]}}')['metadata']).toEqual({
      annotations: { a: '' },
      finalizers: ['', 'x'],
    });
  });

  test('without kind, apiVersion and selfLink, which are checked', () => {
    expect(object('{"kind":"Event","apiVersion":"x/v1","metadata":{"selfLink":"/x"}}')).toEqual(EMPTY);
    expect(fault('{"metadata":{"selfLink":1}}')).toContain('ObjectMeta.metadata.selfLink of type string');
  });

  test('with times in their canonical form', () => {
    const found = object(
      '{"eventTime":"2024-03-05T08:07:08.5+02:00","deprecatedFirstTimestamp":"2024-03-05T06:07:08.9Z"}',
    );
    expect(found['eventTime']).toBe('2024-03-05T06:07:08.500000Z');
    expect(found['deprecatedFirstTimestamp']).toBe('2024-03-05T06:07:08Z');
    expect(object('{"eventTime":"0001-01-01T00:00:00Z"}')).toEqual(EMPTY);
  });

  test('with integers in any notation that Go accepts', () => {
    expect(object('{"deprecatedCount":2147483647}')['deprecatedCount']).toBe(2147483647);
    expect(object('{"deprecatedCount":-5}')['deprecatedCount']).toBe(-5);
    expect(Object.is((object('{"series":{"count":-0}}')['series'] as { count: number }).count, 0)).toBe(true);
  });

  test('with keys that are special in JavaScript as data in maps and as unknown fields elsewhere', () => {
    const decoded = object('{"__proto__":{"note":"x"},"metadata":{"labels":{"__proto__":"a","constructor":"b"}}}');
    expect(decoded['note']).toBeUndefined();
    const { labels } = decoded['metadata'] as { labels: Record<string, string> };
    expect(Object.keys(labels)).toEqual(['__proto__', 'constructor']);
    expect(labels['toString']).toBeUndefined();
  });
});

describe('strict errors', () => {
  test('report unknown and duplicate fields in the order of the text', () => {
    expect(strict('{"metadata":{"extra":1},"bogus":1,"note":"a","note":"b","regarding":{"foo":{"bar":1}}}')).toEqual([
      'unknown field "metadata.extra"',
      'unknown field "bogus"',
      'duplicate field "note"',
      'unknown field "regarding.foo"',
    ]);
  });

  test('report places in lists and maps', () => {
    expect(strict('{"metadata":{"labels":{"d":"1","d":"2"},"ownerReferences":[{"uid":"a"},{"foo":1}]}}')).toEqual([
      'duplicate field "metadata.labels.d"',
      'unknown field "metadata.ownerReferences[1].foo"',
    ]);
  });

  test('are reported once each; unknown fields are not searched, and fieldsV1 may hold anything', () => {
    expect(strict('{"x":{"a":1,"a":2},"x":1,"metadata":{"managedFields":[{"fieldsV1":{"a":1,"a":2}}]}}')).toEqual([
      'unknown field "x"',
    ]);
  });

  test('treat names as case-sensitive', () => {
    expect(strict('{"Reason":"x"}')).toEqual(['unknown field "Reason"']);
    expect(object('{"Reason":"x"}')).toEqual(EMPTY);
  });

  test('are limited to a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x${index}`, 1]));
    expect(strict(JSON.stringify(many))).toHaveLength(100);
  });
});

describe('type errors are worded as in Go', () => {
  const field = (rest: string): string => `json: cannot unmarshal ${rest}`;
  test.each([
    ['{"note":1}', 'number into Go struct field Event.note of type string'],
    ['{"regarding":"x"}', 'string into Go struct field Event.regarding of type v1.ObjectReference'],
    ['{"regarding":{"kind":1}}', 'number into Go struct field ObjectReference.regarding.kind of type string'],
    ['{"regarding":{"uid":1}}', 'number into Go struct field ObjectReference.regarding.uid of type types.UID'],
    ['{"series":[]}', 'array into Go struct field Event.series of type v1.EventSeries'],
    ['{"metadata":5}', 'number into Go struct field Event.metadata of type v1.ObjectMeta'],
    ['{"deprecatedCount":"x"}', 'string into Go struct field Event.deprecatedCount of type int32'],
    ['{"deprecatedCount":1.5}', 'number 1.5 into Go struct field Event.deprecatedCount of type int32'],
    ['{"deprecatedCount":2.0}', 'number 2.0 into Go struct field Event.deprecatedCount of type int32'],
    [
      '{"series":{"count":2147483648}}',
      'number 2147483648 into Go struct field EventSeries.series.count of type int32',
    ],
    ['{"metadata":{"generation":1e3}}', 'number 1e3 into Go struct field ObjectMeta.metadata.generation of type int64'],
    [
      '{"metadata":{"generation":9223372036854775808}}',
      'number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    ['{"eventTime":{}}', 'object into Go struct field Event.eventTime of type string'],
    ['{"metadata":{"finalizers":"x"}}', 'string into Go struct field ObjectMeta.metadata.finalizers of type []string'],
    ['{"metadata":{"finalizers":[1]}}', 'number into Go struct field ObjectMeta.metadata.finalizers of type string'],
    [
      '{"metadata":{"ownerReferences":[1]}}',
      'number into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference',
    ],
    [
      '{"metadata":{"ownerReferences":[{"controller":"yes"}]}}',
      'string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
    ],
    ['{"metadata":{"labels":[]}}', 'array into Go struct field ObjectMeta.metadata.labels of type map[string]string'],
    ['{"metadata":{"labels":{"a":true}}}', 'bool into Go struct field ObjectMeta.metadata.labels of type string'],
  ])('for a wrong value: %s', (json, rest) => expect(fault(json)).toBe(field(rest)));

  test('and the first one counts, but an unreadable time ends decoding', () => {
    expect(fault('{"note":1,"type":2}')).toContain('Event.note');
    expect(fault('{"note":1,"eventTime":"x"}')).toMatch(/^parsing time "x"/);
  });

  test('and free JSON is limited in depth', () => {
    const deep = '{"a":'.repeat(200) + '1' + '}'.repeat(200);
    expect(fault(`{"metadata":{"managedFields":[{"fieldsV1":${deep}}]}}`)).toBe('json: exceeded max depth');
    expect(strict(`{"bogus":${deep}}`)).toEqual(['unknown field "bogus"']);
  });
});

test('the order of the fields does not matter', () => {
  const withNulls = anyEvent().chain((event) =>
    fc
      .subarray(Object.keys(event))
      .map((keys) => ({ ...event, ...Object.fromEntries(keys.map((key) => [key, null])) })),
  );
  fc.assert(
    fc.property(fc.oneof(anyEvent(), withNulls), (event) => {
      const inOrder = decodeObject(event, eventShape());
      const reversed = decodeObject(Object.fromEntries(Object.entries(event).reverse()), eventShape());
      expect(reversed).toEqual(inOrder);
      expect(JSON.stringify(reversed)).toBe(JSON.stringify(inOrder));
    }),
  );
});

test('parts that were decoded before are reused, with the same result, for any change', () => {
  const of = (value: unknown): Record<string, unknown> => {
    const decoded = decodeObject(value, eventShape());
    if ('fault' in decoded) throw new Error(decoded.fault.text);
    return decoded.object;
  };
  const odd = fc.constantFrom<unknown>(null, '', 0, 5, [], {}, { a: 1 }, 'x', { name: 'n', uid: 7 });
  const field = fc.constantFrom('note', 'series', 'regarding', 'metadata', 'deprecatedCount', 'unknown', 'kind');
  fc.assert(
    fc.property(anyEvent(), anyEvent(), fc.dictionary(field, odd), (one, other, changes) => {
      const known = of(one);
      const metadata = {
        ...(known['metadata'] as object),
        labels: (of(other)['metadata'] as Record<string, unknown>)['labels'],
      };
      for (const value of [known, { ...known, metadata }, { ...known, ...changes }, { ...of(other), ...known }]) {
        expect(decodeObject(value, eventShape(), {}, known)).toEqual(decodeObject(value, eventShape()));
      }
    }),
  );
});
