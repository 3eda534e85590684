import type { FieldShape } from '../../src/api/schema/shape.js';
import { kindOf, structOfField, type EventFields } from './shape-fields.js';

/** `src/events/codec/compare-events.ts`. */
export function compareSource({ metadata, fields }: EventFields): string {
  const stored = [...metadata.before, ...metadata.after];
  const shared = [
    ...fields.filter(({ mutable }) => !mutable).map((field): [string, FieldShape] => ['', field]),
    ...stored.map((field): [string, FieldShape] => ['metadata.', field]),
  ].flatMap(([place, field]) => shareSource(place, field));
  return `
import { sameTree } from '../../json/json-tree.js';
import type { Event } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';

/**
 * Replaces the parts of \`to\` that are equal to those of \`from\` by the latter. An update sends nearly all of the stored
 * event again, and later comparisons then see at once that most parts are identical. That saves 5 µs of an update.
 */
export function shareEqualParts(to: Event, from: Event): void {
  ${shared.join('\n')}
}

/** Whether the fields that updates cannot change are identical. Equal parts that are not shared count as different. */
export function sharesFields(one: Event, other: Event): boolean {
  return ${identical(fields.filter(({ mutable }) => !mutable))};
}

/** The metadata of a stored event with its revision, in wire order. Values are shared. */
export function withRevision(stored: ObjectMeta, resourceVersion: string): ObjectMeta {
  const metadata: ObjectMeta = {};
  ${metadata.before.map(copySource).join('\n')}
  metadata.resourceVersion = resourceVersion;
  ${metadata.after.map(copySource).join('\n')}
  if (stored.managedFields) metadata.managedFields = stored.managedFields;
  return metadata;
}

${presenceSource(stored, fields)}
`;
}

function shareSource(place: string, field: FieldShape): string[] {
  const kind = kindOf(field);
  const [to, from] = [`to.${place}${field.name}`, `from.${place}${field.name}`];
  if (kind !== 'struct' && kind !== 'texts') return [];
  return [`if (${to} && ${from} && sameTree(${to}, ${from})) ${to} = ${from};`];
}

const identical = (fields: readonly FieldShape[]): string =>
  fields.map(({ name }) => `one.${name} === other.${name}`).join(' && ');

const copySource = ({ name }: FieldShape): string =>
  `if (stored.${name} !== undefined) metadata.${name} = stored.${name};`;

/** Whether an event has the field. Nobody owns one that is written without a value. */
function hasSource(value: string, field: FieldShape): string {
  if (field.presence !== 'always' || kindOf(field) === 'struct') return `${value} !== undefined`;
  return field.zero === null
    ? `${value} != null`
    : `${value} !== undefined && ${value} !== ${JSON.stringify(field.zero)}`;
}

/** Bits in a character. */
const WORD = 15;

function presenceSource(metadata: readonly FieldShape[], fields: readonly FieldShape[]): string {
  const keys: string[] = [];
  const known: string[] = [];
  const unknown: string[] = [];
  const collect = (at: string, field: FieldShape): void => {
    const value = `${at}.${field.name}`;
    const kind = kindOf(field);
    if (kind === 'texts') keys.push(`keysOf(${value})`);
    if (kind === 'other' || kind === 'json') unknown.push(value);
    else known.push(hasSource(value, field));
    if (kind !== 'struct') return;
    for (const member of structOfField(field).fields) collect(`${value}?`, member);
  };
  for (const field of metadata) collect('metadata', field);
  for (const field of fields) collect('event', field);
  const words = Array.from({ length: Math.ceil(known.length / WORD) }, (_, word) =>
    known.slice(word * WORD, (word + 1) * WORD),
  );
  return `
/**
 * A text that lists which fields an event has, including the keys of its maps: events with equal texts have the same
 * fields. Undefined if the event has fields for which that is not enough, such as lists.
 */
export function fieldsPresent(event: Event): string | undefined {
  const { metadata } = event;
  if (${unknown.map((value) => `${value} !== undefined`).join(' || ')}) return undefined;
  ${words
    .map(
      (values, word) => `let word${word} = 0;
  ${values.map((has, bit) => `if (${has}) word${word} |= ${2 ** bit};`).join('\n')}`,
    )
    .join('\n')}
  const words = String.fromCharCode(${words.map((_, word) => `word${word}`).join(', ')});
  return '=' + words + ${keys.join(' + ')};
}

const keysOf = (texts: object | undefined): string => (texts ? JSON.stringify(Object.keys(texts)) : '');`;
}
