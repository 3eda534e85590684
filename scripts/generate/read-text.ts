import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { kindOf, literal, structOfField, zeroText, type EventFields } from './shape-fields.js';

/** `src/events/codec/read-event.ts`: reads stored text without `JSON.parse`. */
export function readSource({ metadata, fields, structs }: EventFields): string {
  const [first, ...rest] = fields as [FieldShape, ...FieldShape[]];
  const used = rest
    .filter((field) => !isMostlyZero(field))
    .map(({ shape }) => (shape.kind === 'struct' ? shape.name : ''));
  const readable = structs.filter((struct) => isReadable(struct) && used.includes(struct.name));
  return `
import type { ${['Event', ...readable.map(({ name }) => name)].sort().join(', ')} } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';
import { CLOSE, integer, opened, quotedText, type TextReader } from '../../json/text-reader.js';

/** Finds the labels with this JSON, which is an object of texts. Not to be changed: events share them. */
export type LabelTexts = (json: string) => Readonly<Record<string, string>>;

/** An event, and where in its text the fields begin and end that updates may change. */
export interface ReadFields {
  readonly event: Event;
  readonly places: readonly number[];
}

/** How the fields after metadata begin. */
export const FIRST_FIELD = ${literal(`"${first.name}":`)};

/**
 * Reads the fields of an event as most are from its text: 1 µs where \`JSON.parse\` takes 2.5, and it tells where the
 * fields stand. Undefined for any other event, and wherever something is escaped.
 *
 * @param start the place of {@link FIRST_FIELD}; the text ends with the event
 */
export function readFields(text: string, metadata: ObjectMeta, start: number): ReadFields | undefined {
  if (text.includes('\\\\', start)) return undefined;
  const reader: TextReader = { text, at: start };
  const ${first.name} = quotedText(reader, ${literal(`"${first.name}":"`)});
  if (${first.name} === undefined) return undefined;
  const event: Event = { metadata, ${first.name} };
  ${eventMembers(rest)}
  if (reader.at !== text.length - 1) return undefined;
  return { event, places: [${rest
    .filter(({ mutable }) => mutable)
    .flatMap(placesOf)
    .join(', ')}] };
}

${metadataSource(metadata)}

${readable.map(structSource).join('\n\n')}
`;
}

const placesOf = ({ name }: FieldShape): readonly string[] => [`${name}From`, `${name}To`];

/** Structs of scalars, the first of which is never left out unless the struct is empty. */
function isReadable({ fields }: StructShape): boolean {
  return fields.length > 0 && fields.every((field) => ['text', 'time', 'integer'].includes(kindOf(field)));
}

/** Fields that are always written, and nearly always without a value, are read together. */
const isMostlyZero = ({ presence, frequency }: FieldShape): boolean => presence === 'always' && frequency === undefined;

function eventMembers(fields: readonly FieldShape[]): string {
  const lines: string[] = [];
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as FieldShape;
    if (isMostlyZero(field) && !field.mutable) {
      const run = [field];
      while (index + 1 < fields.length && isMostlyZero(fields[index + 1] as FieldShape)) {
        run.push(fields[++index] as FieldShape);
      }
      lines.push(`if (!opened(reader, ${literal(run.map((one) => `,${zeroText(one)}`).join(''))})) return undefined;`);
      for (const { name, zero } of run) lines.push(`event.${name} = ${JSON.stringify(zero)};`);
      continue;
    }
    const [from, to] = placesOf(field);
    if (field.mutable) lines.push(`const ${from} = reader.at;`);
    lines.push(eventMember(field));
    if (field.mutable) lines.push(`const ${to} = reader.at;`);
  }
  return lines.join('\n');
}

/** What is not read here is not where the next field is looked for, nor the end. */
function eventMember(field: FieldShape): string {
  const { name, presence } = field;
  const needed = presence === 'always';
  const kind = kindOf(field);
  if (kind === 'struct') {
    const struct = structOfField(field);
    if (!isReadable(struct)) return needed ? 'return undefined;' : '';
    const body = `const ${name} = read${struct.name}(reader);
      if (!${name}) return undefined;
      event.${name} = ${name};`;
    const opening = `opened(reader, ${literal(`,"${name}":{`)})`;
    return needed ? `if (!${opening}) return undefined;\n${body}` : `if (${opening}) {\n${body}\n}`;
  }
  const read = scalarSource(field, ',');
  if (read === undefined) return needed ? 'return undefined;' : '';
  return `const ${name} = ${read};
    ${needed ? `if (${name} === undefined) return undefined;\n` : `if (${name} !== undefined) `}event.${name} = ${name};`;
}

function scalarSource(field: FieldShape, comma: string): string | undefined {
  const opening = `${comma}"${field.name}":`;
  switch (kindOf(field)) {
    case 'text':
    case 'time':
      return `quotedText(reader, ${literal(`${opening}"`)})`;
    case 'integer':
      return `integer(reader, ${literal(opening)})`;
    default:
      return undefined;
  }
}

function structSource({ name, fields }: StructShape): string {
  const whole = fields.every(({ presence }) => presence === 'always');
  const lines = fields.map((field, index) => {
    const read = `const ${field.name} = ${scalarSource(field, index === 0 ? '' : ',')};`;
    const needed = index === 0 || field.presence === 'always';
    const keep = whole ? '' : `value.${field.name} = ${field.name};`;
    if (needed) return `${read}\nif (${field.name} === undefined) return undefined;\n${keep}`;
    return `${read}\nif (${field.name} !== undefined) ${keep}`;
  });
  const empty = `if (text.charCodeAt(reader.at) === CLOSE) {
    reader.at++;
    return value;
  }
  // Most have the first field; those without are read as JSON.`;
  return `
/** After the opening brace. */
function read${name}(reader: TextReader): ${name} | undefined {
  const { text } = reader;
  ${whole ? '' : `const value: ${name} = {};\n${empty}`}
  ${lines.join('\n')}
  if (text.charCodeAt(reader.at) !== CLOSE) return undefined;
  reader.at++;
  return ${whole ? `{ ${fields.map((field) => field.name).join(', ')} }` : 'value'};
}`;
}

function metadataSource({ before, after }: EventFields['metadata']): string {
  const isStored = ({ frequency }: FieldShape): boolean => frequency === 'sent' || frequency === 'stored';
  const early = before.filter(isStored);
  const late = after.filter(isStored);
  const map = after.find((field) => field.frequency === 'often' && kindOf(field) === 'texts');
  const needed = [...early, ...late];
  if (
    early.length === 0 ||
    late.length === 0 ||
    !map ||
    !needed.every((one) => ['text', 'time'].includes(kindOf(one)))
  ) {
    throw new TypeError('metadata has texts on both sides of the revision in every stored event, and labels in many');
  }
  const member = (field: FieldShape, index: number): string =>
    `const ${field.name} = ${scalarSource(field, index === 0 ? '{"metadata":{' : ',')};`;
  return `
/** Metadata without managed fields, and where the place of the revision is. */
export interface ReadMetadata {
  readonly metadata: ObjectMeta;
  readonly cut: number;
}

/**
 * Reads what stands before the managed fields of an event as most are. Undefined for any other.
 *
 * @param end the place of \`"managedFields"\`
 */
export function readMetadata(text: string, end: number, labelsOf: LabelTexts): ReadMetadata | undefined {
  const reader: TextReader = { text, at: 0 };
  ${early.map(member).join('\n')}
  const cut = reader.at + 1;
  ${late.map((field) => member(field, 1)).join('\n')}
  if (${needed.map(({ name }) => `${name} === undefined`).join(' || ')}) return undefined;
  const metadata: ObjectMeta = { ${needed.map(({ name }) => name).join(', ')} };
  const { at } = reader;
  if (text.startsWith(MAP, at)) {
    // Texts only: the first brace that is not within one ends them.
    const close = text.indexOf('},', at);
    if (close !== end - 2) return undefined;
    metadata.${map.name} = labelsOf(text.slice(at + MAP.length - 1, close + 1));
  } else if (at !== end - 1) return undefined;
  // Names do not have it, but nobody looks after what a store returns.
  const escaped = text.indexOf('\\\\');
  return escaped === -1 || escaped > at ? { metadata, cut } : undefined;
}

const MAP = ${literal(`,"${map.name}":{`)};`;
}
