import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeYaml } from '../../../../src/api/yaml/write-yaml.js';
import { parseYaml } from '../../../../src/api/yaml/yaml.js';

describe('the layout is that of the original', () => {
  test('an event with everything that is hard', () => {
    const words = (count: number): string => Array(count).fill('word').join(' ');
    const value = {
      kind: 'Event',
      apiVersion: 'events.example.com/v1',
      metadata: {
        name: 'a',
        labels: { yes: 'no', n: '123', t: 'true' },
        annotations: { multi: 'one\ntwo\n', long: `${words(46)} end`, empty: '' },
        managedFields: [
          {
            manager: 'm',
            fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/a"': {} } } },
            time: '2024-03-05T06:07:08Z',
          },
        ],
      },
      eventTime: '2024-03-05T06:07:08.123456Z',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      note: 'colon: and "quotes" # hash',
      series: { count: 2 },
    };
    expect(writeYaml(value)).toBe(`apiVersion: events.example.com/v1
deprecatedFirstTimestamp: null
deprecatedSource: {}
eventTime: "2024-03-05T06:07:08.123456Z"
kind: Event
metadata:
  annotations:
    empty: ""
    long: word word word word word word word word word word word word word word word
      word word word word word word word word word word word word word word word word
      word word word word word word word word word word word word word word word end
    multi: |
      one
      two
  labels:
    "n": "123"
    t: "true"
    "yes": "no"
  managedFields:
  - fieldsV1:
      f:metadata:
        f:finalizers:
          .: {}
          v:"example.com/a": {}
    manager: m
    time: "2024-03-05T06:07:08Z"
  name: a
note: 'colon: and "quotes" # hash'
series:
  count: 2
`);
  });

  test('a long message in single quotes is folded', () => {
    const message =
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    expect(writeYaml({ message })).toBe(
      `message: 'only the following media types are accepted: application/json;stream=watch,\n` +
        `  application/vnd.kubernetes.protobuf;stream=watch'\n`,
    );
  });

  test.each([
    ['plain text', 'plain text'],
    ['', '""'],
    ['true', '"true"'],
    ['null', '"null"'],
    ['1e3', '"1e3"'],
    ['0x1F', '"0x1F"'],
    ['2024-01-01', '"2024-01-01"'],
    ['12:30', '"12:30"'],
    ['-', "'-'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    ['a:b', 'a:b'],
    ['a: b', "'a: b'"],
    ['a #b', "'a #b'"],
    ["it's: x", "'it''s: x'"],
    [' lead', "' lead'"],
    ['a\tb', '"a\\tb"'],
    ['ü', 'ü'],
    ['😀', '"\\U0001F600"'],
    ['\ufeff', '"\\uFEFF"'],
    ['\u0001', '"\\x01"'],
    ['<a@b>', '<a@b>'],
    ['[x]', "'[x]'"],
    ['a\nb', '|-\n  a\n  b'],
    [' a\n', '|2\n   a'],
    ['a\n\n', '|+\n  a\n'],
    ['a \nb', '"a \\nb"'],
  ])('%j', (text, written) => expect(writeYaml({ k: text })).toBe(`k: ${written}\n`));

  test('lists, nested and empty', () => {
    expect(writeYaml({ b: [[1, [2]], { a: { c: [] }, d: [{ e: 1, f: 2 }] }, []] })).toBe(
      'b:\n- - 1\n  - - 2\n- a:\n    c: []\n  d:\n  - e: 1\n    f: 2\n- []\n',
    );
    expect(writeYaml([])).toBe('[]\n');
    expect(writeYaml(['a', { b: 1 }])).toBe('- a\n- b: 1\n');
    expect(writeYaml({})).toBe('{}\n');
    expect(writeYaml('x')).toBe('x\n');
  });

  test('keys are sorted as people count, and what JSON leaves out is left out', () => {
    const value = { a10: 1, a9: 1, B: 1, a: 1, 'f:x': 1, '.': 1, a1b: 1, z: undefined };
    expect(writeYaml(value).match(/^[^:]*(?=:)/gm)).toEqual(['.', 'B', 'a', 'a1b', 'a9', 'a10', 'f']);
  });
});

test('any JSON survives', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[-a1:#'"\\ \n,?{}[\]&*!|>%@`~.]{0,12}$/),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  })).value;
  await fc.assert(
    fc.asyncProperty(json, async (value) => {
      const written = writeYaml(value);
      expect({ written, read: await parseYaml(written) }).toEqual({ written, read: { value, duplicates: [] } });
    }),
    { numRuns: 500 },
  );
});
