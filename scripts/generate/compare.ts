import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { kindOf, structOfField, type EventFields } from './shape-fields.js';

/** `src/events/codec/compare-events.ts`. */
export function compareSource({ metadata, fields, structs }: EventFields): string {
  const stored = [...metadata.before, ...metadata.after];
  const shared = [
    ...fields.filter(({ mutable }) => !mutable).map((field): [string, FieldShape] => ['', field]),
    ...stored.map((field): [string, FieldShape] => ['metadata.', field]),
  ].flatMap(([place, field]) => shareSource(place, field));
  const common = stored.filter(({ frequency }) => frequency === 'sent' || frequency === 'stored');
  const often = stored.filter(({ frequency }) => frequency === 'often');
  const rare = stored.filter((field) => !common.includes(field) && !often.includes(field));
  const beforeUsual = common.filter((field) => metadata.before.includes(field)).map(({ name }) => name);
  const afterUsual = common.filter((field) => metadata.after.includes(field)).map(({ name }) => name);
  return `
import type { ${['Event', ...structs.map(({ name }) => name)].sort().join(', ')} } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';

/**
 * Gives \`to\` the parts of \`from\` that are equal to its own. An update sends nearly all of the stored event again: whoever
 * looks for differences then finds most parts to be the same at once, which saves 5 µs of an update.
 */
export function shareEqualParts(to: Event, from: Event): void {
  ${shared.join('\n')}
}

/** Whether the fields that updates cannot change are the same. Parts that are equal but not shared count as others. */
export function sharesFields(one: Event, other: Event): boolean {
  return ${identical(fields.filter(({ mutable }) => !mutable))};
}

/** Whether all metadata is the same but what says who manages it; parts as in {@link sharesFields}. */
export function sharesMetadata(one: ObjectMeta, other: ObjectMeta): boolean {
  return ${identical(stored)};
}

/** The metadata of a stored event with its revision, in wire order. Values are shared. */
export function withRevision(stored: ObjectMeta, resourceVersion: string): ObjectMeta {
  const { ${[...common, ...often].map(({ name }) => name).join(', ')}, managedFields } = stored;
  if (
    ${common.map(({ name }) => `${name} !== undefined`).join(' && ')} &&
    ${rare.map(({ name }) => `stored.${name} === undefined`).join(' && ')}
  ) {
    const common: ObjectMeta = { ${[...beforeUsual, 'resourceVersion', ...afterUsual].join(', ')} };
    ${often.map(({ name }) => `if (${name}) common.${name} = ${name};`).join('\n')}
    if (managedFields) common.managedFields = managedFields;
    return common;
  }
  const metadata: ObjectMeta = {};
  ${metadata.before.map(copySource).join('\n')}
  metadata.resourceVersion = resourceVersion;
  ${metadata.after.map(copySource).join('\n')}
  if (managedFields) metadata.managedFields = managedFields;
  return metadata;
}

${presenceSource(stored, fields)}

${structs.map(sameSource).join('\n\n')}

type Texts = Readonly<Record<string, string>>;

function sameTexts(one: Texts, other: Texts): boolean {
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) if (!Object.hasOwn(other, key) || one[key] !== other[key]) return false;
  return true;
}
`;
}

function shareSource(place: string, field: FieldShape): string[] {
  const kind = kindOf(field);
  const [to, from] = [`to.${place}${field.name}`, `from.${place}${field.name}`];
  if (kind !== 'struct' && kind !== 'texts') return [];
  const same = kind === 'texts' ? 'sameTexts' : `same${structOfField(field).name}`;
  return [`if (${to} && ${from} && ${same}(${to}, ${from})) ${to} = ${from};`];
}

const identical = (fields: readonly FieldShape[]): string =>
  fields.map(({ name }) => `one.${name} === other.${name}`).join(' && ');

const copySource = ({ name }: FieldShape): string =>
  `if (stored.${name} !== undefined) metadata.${name} = stored.${name};`;

function sameSource({ name, fields }: StructShape): string {
  const members = fields.map((field) => {
    const [one, other] = [`one.${field.name}`, `other.${field.name}`];
    return kindOf(field) === 'struct' ? `same${structOfField(field).name}(${one}, ${other})` : `${one} === ${other}`;
  });
  return `
/** Whether both have the same values. */
export function same${name}(one: ${name} | undefined, other: ${name} | undefined): boolean {
  if (!one || !other) return one === other;
  return ${members.join(' && ')};
}`;
}

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
  const known: string[] = [];
  const unknown: string[] = [];
  const collect = (at: string, field: FieldShape): void => {
    const value = `${at}.${field.name}`;
    const kind = kindOf(field);
    const isLabels = field.frequency === 'often' && kind === 'texts';
    if (kind === 'other' || kind === 'json' || (kind === 'texts' && !isLabels)) unknown.push(value);
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
 * Which fields an event has, as a text: events with equal texts have the same fields, but for the keys of their labels.
 * Undefined where that depends on more, such as the items of a list.
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
  return String.fromCharCode(${words.map((_, word) => `word${word}`).join(', ')});
}`;
}
