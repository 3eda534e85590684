import type { EventBody } from './json-bodies.js';
import { eventStart } from './making.js';

/** A little less than the limit on items of a body; they share all its bytes. */
const ITEMS = 3_900;
/**
 * Few items, whose errors quote them. No more are accepted: a text counts for up to 1,024 of the 4,000 fields of a
 * body.
 */
const FEW = 3;
/**
 * The number of texts of 16,400 characters that are accepted. V8 hashes them by their length alone, so that all
 * collide.
 */
const ALIKE = 58;
const alike = (index: number, length: number): string => `${x(Math.min(length, 16_400))}${index + ALIKE}`;

/** The number of texts of 4,096 characters, the most that an error shows of one, that are accepted. */
const UNPRINTABLE = 200;
const unprintable = (length: number): string => '\u0085'.repeat(Math.min(length, 2_040));

const longItems = (
  id: string,
  title: string,
  open: string,
  item: (index: number, length: number) => string,
  close: string,
  items: number = ITEMS,
): EventBody => ({
  id: `long-${id}`,
  title,
  make(name, bytes) {
    const start = `${eventStart(name)},${open}`;
    const share = Math.floor((bytes - start.length - 100) / items) - 1;
    const parts = Array.from({ length: items }, (_, index) => {
      const bare = item(index, 0).length;
      return item(index, Math.max(0, share - bare));
    });
    return `${start}${open.endsWith('{}') ? ',' : ''}${parts.join(',')}${close}}}`;
  },
});

const x = (length: number): string => 'x'.repeat(length);
/** A domain for a name as long as the rules allow: a domain of 253 characters and a name of 63. */
const domain = (length: number): string => 'a'.repeat(Math.min(250, Math.max(1, length)));
const MANAGED =
  '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"events.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{';

/** Objects of as many items as are accepted, each as long as the bytes allow. */
export const longItemBodies: readonly EventBody[] = [
  longItems('labels', 'many labels of long values', '"labels":{', (i, length) => `"k${i}":"${x(length)}"`, '}'),
  longItems('labels-keys', 'many labels with long keys', '"labels":{', (i, length) => `"k${i}${x(length)}":""`, '}'),
  longItems(
    'labels-good',
    'many labels as long as may be',
    '"labels":{',
    (i, length) => `"${domain(length)}/k${i}":"${x(Math.min(63, length))}"`,
    '}',
  ),
  longItems('annotations', 'many long annotations', '"annotations":{', (i, length) => `"k${i}":"${x(length)}"`, '}'),
  longItems('annotation-keys', 'annotations with long keys', '"annotations":{', (i, n) => `"k${i}${x(n)}":""`, '}'),
  longItems('finalizers', 'many long finalizers', '"finalizers":[', (i, length) => `"a/${i}${x(length)}"`, ']'),
  longItems(
    'finalizers-bad',
    'many long finalizers of signs',
    '"finalizers":[',
    (i, n) => `"${i}${'-'.repeat(n)}"`,
    ']',
  ),
  longItems('finalizers-domain', 'finalizers of long domains', '"finalizers":[', (i, n) => `"${x(n)}/${i}"`, ']'),
  longItems('finalizers-dots', 'finalizers of dots', '"finalizers":[', (i, n) => `"${'a.'.repeat(n >> 1)}/${i}"`, ']'),
  longItems('finalizers-slashes', 'finalizers of slashes', '"finalizers":[', (i, n) => `"${i}${'/'.repeat(n)}"`, ']'),
  longItems(
    'finalizers-good',
    'many finalizers as long as may be',
    '"finalizers":[',
    (i, length) => `"${domain(length)}/k${i}"`,
    ']',
  ),
  longItems(
    'finalizers-escaped',
    'many finalizers of escapes',
    '"finalizers":[',
    (i, length) => `"${i}${'\\u0001'.repeat(length / 6)}"`,
    ']',
  ),
  longItems(
    'finalizers-unprintable',
    'long finalizers that cannot be printed',
    '"finalizers":[',
    (i, n) => `"${i}/${unprintable(n / 4).repeat(2)}"`,
    ']',
    UNPRINTABLE,
  ),
  longItems('finalizers-few', 'few very long finalizers', '"finalizers":[', (i, n) => `"a/${i}${x(n)}"`, ']', FEW),
  longItems(
    'finalizers-alike',
    'long finalizers that differ at their ends',
    '"finalizers":[',
    (i, n) => `"a/${alike(i, n)}"`,
    ']',
    ALIKE,
  ),
  longItems(
    'labels-alike',
    'labels whose long names differ at their ends',
    '"labels":{',
    (i, n) => `"${alike(i, n)}":""`,
    '}',
    ALIKE,
  ),
  longItems(
    'owners-alike',
    'owners whose long uids differ at their ends',
    '"ownerReferences":[',
    (i, n) => `{"apiVersion":"v1","kind":"P","name":"n","uid":"${alike(i, n)}"}`,
    ']',
    ALIKE - 4,
  ),
  longItems(
    'labels-unprintable',
    'labels whose long keys cannot be printed',
    '"labels":{',
    (i, n) => `"${unprintable(n / 4)}${i}/${unprintable(n / 4)}":""`,
    '}',
    UNPRINTABLE,
  ),
  longItems('labels-few', 'few very long labels', '"labels":{', (i, n) => `"k${i}":"${x(n)}"`, '}', FEW),
  longItems('keys-few', 'few labels with very long keys', '"labels":{', (i, n) => `"k${i}${x(n)}":""`, '}', FEW),
  longItems(
    'owners',
    'many owners with long names',
    '"ownerReferences":[',
    (i, length) => `{"apiVersion":"v1","kind":"P","name":"${x(length)}","uid":"${i}"}`,
    ']',
    ITEMS / 5,
  ),
  longItems(
    'owners-versions',
    'many owners of long versions',
    '"ownerReferences":[',
    (i, length) => `{"apiVersion":"${x(length)}","kind":"","name":"","uid":"${i}"}`,
    ']',
    ITEMS / 5,
  ),
  longItems(
    'owners-uids',
    'many owners with long uids',
    '"ownerReferences":[',
    (i, length) => `{"apiVersion":"v1","kind":"P","name":"n","uid":"${i}${x(length)}"}`,
    ']',
    ITEMS / 5,
  ),
  longItems(
    'owners-equal',
    'equal owners with a long uid, named in a warning',
    '"ownerReferences":[',
    (_i, length) => `{"apiVersion":"v1","kind":"P","name":"n","uid":"${x(length)}"}`,
    ']',
    FEW,
  ),
  longItems('managed-f', 'long f: keys', MANAGED, (i, length) => `"f:${i}${x(length)}":{}`, '}}]', ITEMS / 2),
  longItems(
    'managed-k',
    'long k: keys',
    `${MANAGED}"f:x":{`,
    (i, length) => `"k:{\\"uid\\":\\"${i}${x(length)}\\"}":{}`,
    '}}}]',
    ITEMS / 2,
  ),
  longItems(
    'managed-v',
    'long v: keys',
    `${MANAGED}"f:x":{`,
    (i, length) => `"v:\\"${i}${x(length)}\\"":{}`,
    '}}}]',
    ITEMS / 2,
  ),
  longItems(
    'managed-entries',
    'managed fields of long managers',
    '"managedFields":[',
    (i, length) => `{"manager":"${i}${x(length)}","operation":"Update","apiVersion":"events.example.com/v1"}`,
    ']',
    ITEMS / 5,
  ),
  longItems(
    'managed-versions',
    'managed fields of long versions',
    '"managedFields":[',
    (i, length) =>
      `{"manager":"m${i}","operation":"Apply","apiVersion":"${x(length)}/v1","fieldsType":"FieldsV1","fieldsV1":{"f:note":{}}}`,
    ']',
    ITEMS / 9,
  ),
  longItems('unknown', 'unknown fields of long names', '"labels":{}', (i, n) => `"u${i}${x(n)}":1`, ''),
  longItems('unknown-text', 'unknown fields of long texts', '"labels":{}', (i, n) => `"u${i}":"${x(n)}"`, ''),
  longItems('duplicate', 'a long unknown field many times', '"labels":{}', (_i, n) => `"u${x(n)}":1`, ''),
  longItems('duplicate-label', 'a long label many times', '"labels":{', (_i, n) => `"u${x(n)}":""`, '}'),
  longItems(
    'escapes',
    'unknown fields with escaped names',
    '"labels":{}',
    (i, n) => `"u${i}${'\\u0061'.repeat(n / 6)}":1`,
    '',
  ),
  longItems(
    'surrogates',
    'long texts of surrogates',
    '"labels":{',
    (i, n) => `"u${i}":"${'\\ud800'.repeat(n / 6)}"`,
    '}',
  ),
  longItems('umlauts', 'long texts of two bytes', '"finalizers":[', (i, n) => `"${i}${'\u00e4'.repeat(n / 2)}"`, ']'),
];
