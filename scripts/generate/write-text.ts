import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { kindOf, literal, structOfField, zeroText, type EventFields } from './shape-fields.js';

/** `src/events/codec/write-event.ts`: the JSON of an event's parts. */
export function writeSource({ metadata, fields, structs }: EventFields): string {
  const other = [...metadata.before, ...metadata.after].filter((field) => kindOf(field) === 'other');
  const otherFields = fields.filter((field) => kindOf(field) === 'other');
  const [first, rest] = [fields.slice(0, restFrom(fields)), fields.slice(restFrom(fields))];
  return `
import { fieldWriter, quoted, writeTexts } from '../../api/encode/encode-json.js';
import { lazy } from '../../api/schema/lazy.js';
import type { ${['Event', ...structs.map(({ name }) => name)].sort().join(', ')} } from '../../model/event.js';
import type { ObjectMeta } from '../../model/object-meta.js';
import { eventShape } from '../resource/schema.js';

/** The text of metadata before and after the revision, without commas at the ends. Either may be empty. */
export interface MetadataText {
  readonly before: string;
  readonly after: string;
  /** The length of the managed fields, which end \`after\`. */
  readonly managed: number;
}

/** Writes the metadata without the revision. \`managedFields\`: their JSON, if it is known. */
export function writeMetadata(metadata: ObjectMeta, managedFields: string | undefined): MetadataText {
  let before = '';
  ${members(metadata.before, 'before', 'metadata')}
  let after = '';
  ${members(metadata.after, 'after', 'metadata')}
  const managed =
    managedFields === undefined ? metadataManagedFields()(metadata) : \`"managedFields":\${managedFields}\`;
  if (managed !== '') after += after === '' ? managed : \`,\${managed}\`;
  return { before, after, managed: managed.length };
}

/** The beginning of the text of the fields after metadata. */
export const FIRST_FIELD = ${literal(`"${fields[0]?.name}":`)};

/** The beginning of the rest of an event: the part that no update changes. */
export const REST = ${literal(`,"${rest[0]?.name}":`)};

/** Writes the fields after metadata, without braces. \`rest\`: the text from {@link REST} on, if it is known. */
export function writeFields(event: Event, rest?: string): string {
  let out = '';
  ${members(first, 'out', 'event')}
  if (rest !== undefined) return out + rest;
  ${members(rest, 'out', 'event', ',')}
  return out;
}

${structs.map((struct) => structSource(struct, pathTo(struct, fields) ?? [])).join('\n\n')}

${[...other, { name: 'managedFields' }].map((field) => writerSource('metadata', field.name, ['metadata', field.name])).join('\n')}
${otherFields.map((field) => writerSource('event', field.name, [field.name])).join('\n')}

/** A time that is not set is written as null. */
const nullable = (text: string | null | undefined): string =>
  text === null || text === undefined ? 'null' : quoted(text);
`;
}

export function commonSuffix(fields: readonly FieldShape[]): string {
  const end = fields.filter(({ presence, frequency }) => presence === 'always' && frequency !== 'sent');
  const from = fields.indexOf(end[0] as FieldShape);
  if (fields.slice(from).some(({ frequency }) => frequency !== undefined)) {
    throw new TypeError("the fields after the first that is always written and not 'sent' cannot have a frequency");
  }
  return literal(`,${end.map(zeroText).join(',')}}`);
}

/** The index of the field with which the rest of an event begins: all fields that updates may change come before it. */
function restFrom(fields: readonly FieldShape[]): number {
  const lastMutable = fields.findLastIndex((field) => field.mutable);
  const at = fields.findIndex(({ presence }, index) => index > lastMutable && presence === 'always');
  if (at < 1) throw new TypeError('a field that is always written must follow the mutable ones');
  return at;
}

/** The path of a struct in an event. */
function pathTo(struct: StructShape, fields: readonly FieldShape[]): readonly string[] | undefined {
  for (const { name, shape } of fields) {
    if (shape.kind !== 'struct') continue;
    const below = shape.name === struct.name ? [] : pathTo(struct, shape.fields);
    if (below) return [name, ...below];
  }
  return undefined;
}

function structSource(struct: StructShape, path: readonly string[]): string {
  const { name, fields } = struct;
  return `
/** ${name} as JSON. */
export function write${name}(value: ${name} | undefined): string {
  if (!value) return '{}';
  let out = '';
  ${members(fields, 'out', 'value', '', name)}
  return \`{\${out}}\`;
}
${fields
  .filter((field) => kindOf(field) === 'other')
  .map((field) => writerSource(name, field.name, [...path, field.name]))
  .join('\n')}`;
}

/**
 * Adds fields to the text in \`out\`. `before`: the comma in front of the first, where another member always precedes
 * it.
 */
function members(fields: readonly FieldShape[], out: string, from: string, before = '', owner = from): string {
  let written: 'nothing' | 'maybe' | 'something' = before === ',' ? 'something' : 'nothing';
  return fields
    .map((field) => {
      const comma = written === 'nothing' ? '' : written === 'something' ? ',' : `\${${out} === '' ? '' : ','}`;
      const source = member(field, out, comma, from, owner);
      if (field.presence === 'always') written = 'something';
      else if (written === 'nothing') written = 'maybe';
      return source;
    })
    .join('\n');
}

function member(field: FieldShape, out: string, comma: string, from: string, owner: string): string {
  const { name, presence } = field;
  const kind = kindOf(field);
  if (kind === 'other') {
    const text = `${name}Text`;
    const write = `${writerName(owner, name)}()(${from})`;
    return `const ${text} = ${presence === 'always' ? write : `${from}.${name} === undefined ? '' : ${write}`};
      if (${text} !== '') ${out} += \`${comma}\${${text}}\`;`;
  }
  const read = `${from}.${name}`;
  if (kind === 'texts') {
    const text = `${name}Text`;
    return `const ${text} = ${read} ? writeTexts(${read}) : '{}';
      if (${text} !== '{}') ${out} += \`${comma}"${name}":\${${text}}\`;`;
  }
  const value = {
    text: presence === 'always' ? `quoted(${read} ?? '')` : `quoted(${read})`,
    time: presence === 'always' ? `nullable(${read})` : `quoted(${read})`,
    integer: presence === 'always' ? `${read} ?? 0` : read,
    boolean: presence === 'always' ? `${read} ?? null` : read,
    json: `JSON.stringify(${read} ?? null)`,
    struct: kind === 'struct' ? `write${structOfField(field).name}(${read})` : '',
  }[kind];
  const add = `${out} += \`${comma}"${name}":\${${value}}\`;`;
  if (presence === 'always') return add;
  return presence === 'set' ? `if (${read} != null) ${add}` : `if (${read}) ${add}`;
}

const writerName = (owner: string, name: string): string =>
  `${owner[0]?.toLowerCase()}${owner.slice(1)}${name[0]?.toUpperCase()}${name.slice(1)}`;

function writerSource(owner: string, name: string, path: readonly string[]): string {
  return `const ${writerName(owner, name)} = lazy(() => fieldWriter(eventShape(), ${path.map((one) => `'${one}'`).join(', ')}));`;
}
