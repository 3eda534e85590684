import { eventStart, fill, times } from './making.js';

/** A body of an event as JSON; `%` in the name stands for the name of the event. */
export interface EventBody {
  readonly id: string;
  readonly title: string;
  /** True if it is made of as many fields and items as fit, or of `members`. */
  readonly counted?: boolean;
  /** @param members how many fields and items the body may have */
  make(name: string, bytes: number, members?: number): string;
}

const metadata = (
  id: string,
  title: string,
  open: string,
  item: (index: number) => string,
  close: string,
): EventBody => ({
  id,
  title,
  counted: true,
  make: (name, bytes, members) => fill(bytes, `${eventStart(name)},${open}`, item, `${close}}}`, ',', members),
});
const members = (id: string, title: string, item: (index: number) => string): EventBody => ({
  id,
  title,
  counted: true,
  make: (name, bytes, members) => fill(bytes, `${eventStart(name)}},`, item, '}', ',', members),
});

/** A body with one entry of managed fields, whose fields are these. */
const managed = (id: string, title: string, open: string, item: (index: number) => string, close: string): EventBody =>
  metadata(
    id,
    title,
    '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"events.example.com/v1",' +
      `"time":"2026-03-05T06:07:08Z","fieldsType":"FieldsV1","fieldsV1":{${open}`,
    item,
    `${close}}}]`,
  );

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Objects that are valid, or nearly so, but for their size. */
export const eventBodies: readonly EventBody[] = [
  metadata('labels', 'many labels', '"labels":{', (i) => `"k${i}":"v"`, '}'),
  metadata('labels-bad', 'many labels that are all wrong', '"labels":{', (i) => `"-${i}":"-"`, '}'),
  metadata('labels-same', 'one label many times', '"labels":{', () => '"k":"v"', '}'),
  metadata('annotations', 'many annotations', '"annotations":{', (i) => `"k${i}":""`, '}'),
  metadata('annotations-bad', 'many annotations that are all wrong', '"annotations":{', (i) => `"-${i}":""`, '}'),
  metadata('finalizers', 'many finalizers', '"finalizers":[', (i) => `"a/${i}"`, ']'),
  metadata('finalizers-same', 'one finalizer many times', '"finalizers":[', () => '"a/b"', ']'),
  metadata('owners', 'many owner references', '"ownerReferences":[', owner, ']'),
  metadata('owners-empty', 'many empty owner references', '"ownerReferences":[', () => '{}', ']'),
  metadata('owners-same', 'one owner reference many times', '"ownerReferences":[', () => owner(1), ']'),
  metadata('owners-controllers', 'owners that are all controllers', '"ownerReferences":[', controller, ']'),
  managed('managed-f', 'managed fields with many f: keys', '', (i) => `"f:${i}":{}`, ''),
  managed('managed-k', 'managed fields with many k: keys', '"f:x":{', (i) => `"k:{\\"uid\\":\\"${i}\\"}":{}`, '}'),
  managed('managed-v', 'managed fields with many v: keys', '"f:x":{', (i) => `"v:\\"${i}\\"":{}`, '}'),
  managed('managed-labels', 'managed fields of labels', '"f:metadata":{"f:labels":{', (i) => `"f:k${i}":{}`, '}}'),
  managed(
    'managed-long-k',
    'managed fields with one long k: key',
    '',
    () => `"k:{\\"uid\\":\\"${times('x', 400_000)}\\"}":{}`,
    '',
  ),
  managed(
    'managed-deep',
    'deep managed fields, many times',
    '',
    (i) => `"f:${i}":${nested('{"f:a":', '{}', 1).replace(/\}$/, '}}')}`,
    '',
  ),
  metadata(
    'managed-entries',
    'many entries of managed fields',
    '"managedFields":[',
    (i) =>
      `{"manager":"m${i}","operation":"Update","apiVersion":"events.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:note":{}}}`,
    ']',
  ),
  metadata('managed-empty', 'many empty entries of managed fields', '"managedFields":[', () => '{}', ']'),
  members('unknown', 'many unknown fields', (i) => `"u${i}":1`),
  members('unknown-objects', 'many unknown objects', (i) => `"u${i}":{}`),
  members('duplicate', 'a field many times', () => '"note":"x"'),
  members('duplicate-unknown', 'an unknown field many times', () => '"n":1'),
  members('numbers', 'many numbers with many digits', (i) => `"${i}":1234567890123456789e-5`),
  members('escapes', 'many escaped surrogates in keys', (i) => `"\\ud800${i}":"\\udc00"`),
  {
    id: 'long-number',
    title: 'a number of many digits',
    make: (name, bytes) => `${eventStart(name)}},"deprecatedCount":${times('9', bytes - 1000)}}`,
  },
  {
    id: 'long-note',
    title: 'a long note',
    make: (name, bytes) => `${eventStart(name)}},"note":"${times('x', bytes - 1000)}"}`,
  },
  {
    id: 'long-note-escaped',
    title: 'a long note of escapes',
    make: (name, bytes) => `${eventStart(name)}},"note":"${times('\\u0000', bytes - 1000)}"}`,
  },
  {
    id: 'long-type',
    title: 'a long type',
    make: (name, bytes) => `${eventStart(name)}},"type":"${times('\\u0001', bytes - 1000)}"}`,
  },
  {
    id: 'long-controller',
    title: 'a long reporting controller',
    make: (name, bytes) => `${eventStart(name)}},"reportingController":"${times('-/', bytes - 1000)}"}`,
  },
  { id: 'long-name', title: 'a long name', make: (_name, bytes) => `${eventStart(times('A', bytes - 1000))}}}` },
  {
    id: 'long-generate-name',
    title: 'a long generateName',
    make: (_name, bytes) => `${eventStart('').replace('"name":""', `"generateName":"${times('-.', bytes - 1000)}"`)}}}`,
  },
  {
    id: 'long-label',
    title: 'a long label',
    make: (name, bytes) =>
      `${eventStart(name)},"labels":{"${times('a.', bytes / 2 - 1000)}/b":"${times('\\u00e4', bytes / 2 - 1000)}"}}}`,
  },
  {
    id: 'long-time',
    title: 'a long time',
    make: (name, bytes) =>
      `${eventStart(name)}},"deprecatedFirstTimestamp":"2026-03-05T06:07:08.${times('1', bytes - 1000)}Z"}`,
  },
  { id: 'long-kind', title: 'a long kind', make: (_name, bytes) => `{"kind":"${times('\\u0001', bytes - 1000)}"}` },
  {
    id: 'long-version',
    title: 'a long apiVersion',
    make: (_name, bytes) => `{"apiVersion":"${times('/', bytes - 1000)}","kind":"Event"}`,
  },
  {
    id: 'backslashes',
    title: 'a string of backslashes',
    make: (name, bytes) => `${eventStart(name)}},"note":"${times('\\\\', bytes - 1000)}"}`,
  },
  { id: 'deep-lists', title: 'lists in lists', make: (_name, bytes) => times('[', bytes) },
  { id: 'deep-objects', title: 'objects in objects', make: (_name, bytes) => times('{"a":', bytes) },
  members('deep-many', 'many lists as deep as is allowed', (i) => `"u${i}":${nested('[', ']', 998)}`),
  members(
    'deep-many-objects',
    'many deep objects',
    (i) => `"u${i}":${nested('{"a":', '}', 900).replace('{"a":}', '{"a":1}')}`,
  ),
  members(
    'deep-duplicates',
    'deep objects with a key twice at each level',
    (i) => `"u${i}":${nested('{"a":1,"a":', '}', 900).replace('"a":}', '"a":1}')}`,
  ),
  members('series-lists', 'a known field of the wrong type, large', () => '"series":[]'),
  { id: 'long-list', title: 'a list of many', make: (_name, bytes) => fill(bytes, '[', () => '1', ']') },
  { id: 'blank', title: 'blanks', make: (_name, bytes) => times(' ', bytes) },
  { id: 'colons', title: 'no JSON, but many colons', make: (_name, bytes) => `{${times(':', bytes - 1)}` },
  { id: 'quotes', title: 'no JSON, but many quotes', make: (_name, bytes) => `{${times('"', bytes - 1)}` },
  {
    id: 'escaped-quotes',
    title: 'a string that never ends, of escaped quotes',
    make: (_name, bytes) => `{"${times('\\"', bytes - 2)}`,
  },
  {
    id: 'last-wrong',
    title: 'wrong at the last byte',
    make: (name, bytes) => fill(bytes, `${eventStart(name)}},`, (i) => `"u${i}":1`, 'x', ','),
  },
];

function owner(index: number): string {
  return `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"${index}"}`;
}

function controller(index: number): string {
  return `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"${index}","controller":true}`;
}
