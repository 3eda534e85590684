import type { FieldShape, Shape, StructShape } from '../../src/api/schema/shape.js';
import type { EventFields } from './shape-fields.js';

/** `src/model/event.ts`: the types. */
export function modelSource({ event, structs }: EventFields): string {
  const parts = [...structs].reverse();
  return [
    `import type { ListMeta, ObjectMeta } from './object-meta.js';`,
    interfaceOf(event, (field) => field.name === 'metadata', [
      'Times are RFC 3339 texts in UTC: with six fractional digits where they are MicroTime, whole seconds elsewhere.',
    ]),
    ...parts.map((part) => interfaceOf(part, ({ required }) => required)),
    `/** A list of events. Its items carry neither \`kind\` nor \`apiVersion\`. */
     export interface EventList {
       /** Always EventList. */
       kind: string;
       /** Group and version of the list and of its items. */
       apiVersion: string;
       /** The revision of the list, and where the next page begins. */
       metadata: ListMeta;
       /** The events of this page. */
       items: Event[];
     }`,
  ].join('\n\n');
}

function interfaceOf(
  { name, description, fields }: StructShape,
  isNeeded: (field: FieldShape) => boolean,
  more: readonly string[] = [],
): string {
  const members = fields.map((field) => {
    const type = typeOf(field.shape);
    const unset = field.presence === 'always' && isTime(field.shape) ? ' | null' : '';
    const [mark, absent] = isNeeded(field) ? ['', ''] : ['?', ' | undefined'];
    return `${comment([field.description])}\n${field.name}${mark}: ${type}${unset}${absent};`;
  });
  return `${comment([description, ...more])}\nexport interface ${name} {\n${members.join('\n')}\n}`;
}

const isTime = (shape: Shape): boolean =>
  shape.kind === 'scalar' && (shape.type === 'time' || shape.type === 'micro-time');

function typeOf(shape: Shape): string {
  switch (shape.kind) {
    case 'struct':
      return shape.name;
    case 'list':
      return `${typeOf(shape.item)}[]`;
    case 'map':
      return `Record<string, ${typeOf(shape.value)}>`;
    case 'scalar':
      break;
  }
  if (shape.type === 'int32' || shape.type === 'int64') return 'number';
  if (shape.type === 'bool') return 'boolean';
  return shape.type === 'json' ? 'unknown' : 'string';
}

const WIDTH = 116;

/** A doc comment, in lines of the project's width. */
function comment(paragraphs: readonly string[]): string {
  const text = paragraphs.join(' ');
  if (text.length < WIDTH - 7) return `/** ${text} */`;
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line.length + word.length + 1 > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`;
}
