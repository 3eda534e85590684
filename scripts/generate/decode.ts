import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { kindOf, structOfField, type EventFields } from './shape-fields.js';

/** `src/events/codec/decode-event.ts`: events as most clients send them. */
export function decodeSource({ metadata, fields }: EventFields): string {
  const sent = fields.filter(({ frequency }) => frequency === 'sent');
  const often = fields.filter(({ frequency }) => frequency === 'often');
  const zeros = fields.filter(({ presence, frequency }) => presence === 'always' && frequency !== 'sent');
  const used = [...sent, ...often].filter((field) => kindOf(field) === 'struct').map(structOfField);
  const structs = new Map(used.map((struct) => [struct.name, struct]));
  const written = fields.filter((field) => sent.includes(field) || zeros.includes(field) || often.includes(field));
  const counted = [...sent, ...often].filter((field) => kindOf(field) === 'struct');
  const noStruct = often.find((field) => kindOf(field) !== 'struct');
  if (noStruct) throw new TypeError(`${noStruct.name} cannot have frequency 'often', which is for structs`);
  return `
import { isCount, isText, textsIn, timeOf, type QuickObject } from '../../api/decode/quick-object.js';
import { isObject } from '../../json/json-tree.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Decodes an event in the form that nearly all clients send, in 1 µs: names are constants and the parsed parts become
 * parts of the result. For any other event the result is undefined, and the caller uses the decoder that follows the
 * shape, which takes 3 µs for a new event and 6 µs for one that was read from the server.
 *
 * @param value an object with \`kind\` and \`apiVersion\`, just returned by \`JSON.parse\`; it must not be used afterwards
 * @param managed the managed fields, where the value has the number 0 in their place
 */
export function decodeCommonEvent(value: object, managed?: readonly ManagedFieldsEntry[]): QuickObject | undefined {
  const body = value as Members;
  const { metadata: sent, ${[...sent, ...often].map(({ name }) => name).join(', ')} } = body;
  ${checks(sent)}
  ${often.map(optionalCheck).join('\n')}
  const known = ${sent.length + 3}${zeros.length > 0 ? ' + emptyFields(body)' : ''}${often.map(({ name }) => ` + (${name} === undefined ? 0 : 1)`).join('')};
  if (Object.keys(body).length !== known) return undefined;
  ${metadataSource(metadata)}
  const object: Record<string, unknown> = {
    metadata,
    ${written
      .filter((field) => !often.includes(field))
      .map((field) => memberSource(field, sent))
      .join('\n')}
  };
  ${often.map(({ name }) => `if (${name} !== undefined) object['${name}'] = ${name};`).join('\n')}
  return { object, keys: ${['known', 'inMetadata', 'inMaps', ...counted.map(({ name }) => `${name}Fields`)].join(' + ')} };
}

/** The number of empty fields that clients written in Go send. */
function emptyFields({ ${zeros.map(({ name }) => name).join(', ')} }: Members): number {
  return ${zeros.map(zeroSource).join(' + ') || '0'};
}

${[...structs.values()].map(structSource).join('\n\n')}
`;
}

function checks(sent: readonly FieldShape[]): string {
  const lines: string[] = ['if (!isObject(sent)) return undefined;'];
  for (const field of sent) {
    const { name } = field;
    const kind = kindOf(field);
    if (kind === 'text') lines.push(`if (!isText(${name})) return undefined;`);
    else if (kind === 'time') {
      lines.push(`const ${name}Read = timeOf(${name}, '${timeType(field)}');
        if (${name}Read === undefined) return undefined;`);
    } else if (kind === 'struct') {
      lines.push(`const ${name}Fields = isObject(${name}) ? fieldsOf${structOfField(field).name}(${name}) : 0;
        if (${name}Fields === 0) return undefined;`);
    } else throw new TypeError(`${name} cannot have frequency 'sent', which is for texts, times and structs`);
  }
  return lines.join('\n');
}

const timeType = ({ shape }: FieldShape): string => (shape.kind === 'scalar' ? shape.type : '');

const optionalCheck = (field: FieldShape): string => `
  const ${field.name}Fields = ${field.name} === undefined ? 0 : isObject(${field.name}) ? fieldsOf${structOfField(field).name}(${field.name}) : 0;
  if (${field.name} !== undefined && ${field.name}Fields === 0) return undefined;`;

function memberSource(field: FieldShape, sent: readonly FieldShape[]): string {
  const { name, zero } = field;
  if (!sent.includes(field)) return `${name}: ${JSON.stringify(zero)},`;
  return kindOf(field) === 'time' ? `${name}: ${name}Read,` : `${name},`;
}

const zeroSource = ({ name, zero }: FieldShape): string =>
  zero === null
    ? `(${name} === null ? 1 : 0)`
    : typeof zero === 'object'
      ? `(isObject(${name}) && Object.keys(${name}).length === 0 ? 1 : 0)`
      : `(${name} === ${JSON.stringify(zero)} ? 1 : 0)`;

/** In wire order: texts that must be there, texts, times and maps of texts that may be, and the managed fields. */
function metadataSource({ before, revision, after }: EventFields['metadata']): string {
  const fields = [...before, revision, ...after].filter(({ frequency }) => frequency !== undefined);
  const needed = fields.filter(({ frequency }) => frequency === 'sent').map(({ name }) => name);
  const others = fields.filter(({ frequency }) => frequency !== 'sent');
  const maps = others.filter((field) => kindOf(field) === 'texts').map(({ name }) => name);
  const check = (field: FieldShape): string => {
    const { name } = field;
    switch (kindOf(field)) {
      case 'text':
        return `if (${name} !== undefined && !isText(${name})) return undefined;`;
      case 'time':
        return `const ${name}Read = ${name} === undefined || ${name} === null ? null : timeOf(${name}, '${timeType(field)}');
          if (${name}Read === undefined) return undefined;`;
      case 'texts':
        return `const ${name}Read = ${name} === undefined ? 0 : textsIn(${name});
          if (${name}Read === undefined) return undefined;`;
      default:
        throw new TypeError(`metadata.${name} cannot have a frequency, which is for texts, times and maps of texts`);
    }
  };
  const write = (field: FieldShape): string => {
    const { name } = field;
    if (kindOf(field) === 'time') return `if (${name}Read !== null) metadata['${name}'] = ${name}Read;`;
    const value = kindOf(field) === 'texts' ? `Object.setPrototypeOf(${name}, null)` : name;
    return `if (${name} !== undefined) metadata['${name}'] = ${value};`;
  };
  const counts = [...others.map(({ name }) => name), 'managedFields'].map((name) => `(${name} === undefined ? 0 : 1)`);
  return `
  const { ${[...needed, ...others.map(({ name }) => name), 'managedFields'].join(', ')} } = sent;
  if (${needed.map((name) => `!isText(${name})`).join(' || ')}) return undefined;
  ${others.map(check).join('\n')}
  if (managedFields !== undefined && (managedFields !== 0 || managed === undefined)) return undefined;
  const inMetadata = ${[needed.length, ...counts].join(' + ')};
  if (Object.keys(sent).length !== inMetadata) return undefined;
  const inMaps = ${maps.map((name) => `${name}Read`).join(' + ') || '0'};
  const metadata: Record<string, unknown> = { ${needed.join(', ')} };
  // The keys of maps come from the client, so maps have no prototype, as in the other decoder. It is removed from the
  // parsed map, when all keys are there: that leaves access to them fast.
  ${others.map(write).join('\n')}
  if (managedFields !== undefined) metadata['managedFields'] = managed;`;
}

/** Of texts only, some of which may be missing; or of counts and times, which all are there. */
function structSource({ name, fields }: StructShape): string {
  const names = fields.map((field) => field.name);
  const head = `
/** The number of its fields; 0 if there are unusual ones. */
function fieldsOf${name}(value: Members): number {
  const { ${names.join(', ')} } = value;`;
  if (fields.every((field) => kindOf(field) === 'text')) {
    return `${head}
  const count = ${names.map((one) => `(isText(${one}) ? 1 : 0)`).join(' + ')};
  return Object.keys(value).length === count ? count : 0;
}`;
  }
  const tests = fields.map((field) => {
    if (kindOf(field) === 'integer') return `isCount(${field.name})`;
    if (kindOf(field) === 'time') return `timeOf(${field.name}, '${timeType(field)}') === ${field.name}`;
    throw new TypeError(`${name} must have only texts, or only integers and times, to be in a field with a frequency`);
  });
  return `${head}
  const isCommon = ${tests.join(' && ')} && Object.keys(value).length === ${names.length};
  return isCommon ? ${names.length} : 0;
}`;
}
