import type { FieldShape, StructShape } from '../../src/api/schema/shape.js';
import { kindOf, structOfField, type EventFields } from './shape-fields.js';

/** `src/events/codec/decode-event.ts`: new events as most clients send them. */
export function decodeSource({ metadata, fields }: EventFields): string {
  const sent = fields.filter(({ frequency }) => frequency === 'sent');
  const zeros = fields.filter(({ presence, frequency }) => presence === 'always' && frequency !== 'sent');
  const structs = [...new Set(sent.filter((field) => kindOf(field) === 'struct').map(structOfField))];
  const written = fields.filter((field) => sent.includes(field) || zeros.includes(field));
  return `
import { isText, textsIn, type QuickObject } from '../../api/decode/quick-object.js';
import { isObject } from '../../json/json-tree.js';
import { parseTime } from '../../time/parse-time.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * A new event as nearly all reporters send it: every field they should send, with a value, no others than a few labels, and
 * the empty ones Go's clients write. With constant names, and parts taken over as they were parsed: 1 µs instead of the 3 of
 * the decoder that goes along the shape, which gets everything else.
 *
 * @param value an object, fresh from \`JSON.parse\`, that says \`kind\` and \`apiVersion\`. It is consumed.
 */
export function decodeNewEvent(value: object): QuickObject | undefined {
  const body = value as Members;
  const { metadata: sent, ${sent.map(({ name }) => name).join(', ')} } = body;
  ${checks(sent)}
  const known = ${sent.length + 3}${zeros.length > 0 ? ' + emptyFields(body)' : ''};
  if (Object.keys(body).length !== known) return undefined;
  ${metadataSource(metadata)}
  const object = {
    metadata,
    ${written.map((field) => memberSource(field, sent)).join('\n')}
  };
  return { object, keys: ${['known', 'inMetadata', 'labelled', ...sent.filter((field) => kindOf(field) === 'struct').map(({ name }) => `${name}Fields`)].join(' + ')} };
}

/** How many fields there are that Go writes without a value. */
function emptyFields({ ${zeros.map(({ name }) => name).join(', ')} }: Members): number {
  return ${zeros.map(zeroSource).join(' + ') || '0'};
}

${structs.map(structSource).join('\n\n')}
`;
}

function checks(sent: readonly FieldShape[]): string {
  const lines: string[] = ['if (!isObject(sent)) return undefined;'];
  for (const field of sent) {
    const { name } = field;
    const kind = kindOf(field);
    if (kind === 'text') lines.push(`if (!isText(${name})) return undefined;`);
    else if (kind === 'time') {
      const type = field.shape.kind === 'scalar' ? field.shape.type : '';
      lines.push(`const ${name}Read = isText(${name}) ? parseTime(${name}, '${type}') : undefined;
        if (!${name}Read || 'error' in ${name}Read || ${name}Read.value === null) return undefined;`);
    } else if (kind === 'struct') {
      lines.push(`const ${name}Fields = isObject(${name}) ? fieldsOf${structOfField(field).name}(${name}) : 0;
        if (${name}Fields === 0) return undefined;`);
    } else throw new TypeError(`${name}: nearly every new event has texts, times and structs of texts only`);
  }
  return lines.join('\n');
}

function memberSource(field: FieldShape, sent: readonly FieldShape[]): string {
  const { name, zero } = field;
  if (!sent.includes(field)) return `${name}: ${JSON.stringify(zero)},`;
  return kindOf(field) === 'time' ? `${name}: ${name}Read.value,` : `${name},`;
}

const zeroSource = ({ name, zero }: FieldShape): string =>
  zero === null
    ? `(${name} === null ? 1 : 0)`
    : typeof zero === 'object'
      ? `(isObject(${name}) && Object.keys(${name}).length === 0 ? 1 : 0)`
      : `(${name} === ${JSON.stringify(zero)} ? 1 : 0)`;

function metadataSource({ before, after }: EventFields['metadata']): string {
  const fields = [...before, ...after];
  const texts = fields.filter(({ frequency }) => frequency === 'sent');
  const labels = fields.find((field) => field.frequency === 'often' && kindOf(field) === 'texts')?.name;
  const unset = fields.filter((field) => field.frequency === 'stored' && kindOf(field) === 'time');
  if (!labels || !texts.every((field) => kindOf(field) === 'text')) throw new TypeError('metadata: texts and labels');
  const names = texts.map(({ name }) => name);
  const empty = unset.map(({ name }) => `(sent['${name}'] === null ? 1 : 0)`).join(' + ') || '0';
  return `
  const { ${[...names, labels].join(', ')} } = sent;
  if (${names.map((name) => `!isText(${name})`).join(' || ')}) return undefined;
  const labelled = ${labels} === undefined ? 0 : textsIn(${labels});
  if (labelled === undefined) return undefined;
  const inMetadata = ${names.length} + (${labels} === undefined ? 0 : 1) + ${empty};
  if (Object.keys(sent).length !== inMetadata) return undefined;
  const metadata: Record<string, unknown> = { ${names.join(', ')} };
  // In place, as the careful decoder has it: keys are the client's. After they are there it stays an object with fast keys.
  if (${labels} !== undefined) metadata['${labels}'] = Object.setPrototypeOf(${labels}, null);`;
}

function structSource({ name, fields }: StructShape): string {
  if (!fields.every((field) => kindOf(field) === 'text')) {
    throw new TypeError(`${name}: nearly every new event has texts, times and structs of texts only`);
  }
  const names = fields.map((field) => field.name);
  return `
/** How many fields it has; 0 where it has unusual ones. */
function fieldsOf${name}(value: Members): number {
  const { ${names.join(', ')} } = value;
  const count = ${names.map((one) => `(isText(${one}) ? 1 : 0)`).join(' + ')};
  return Object.keys(value).length === count ? count : 0;
}`;
}
