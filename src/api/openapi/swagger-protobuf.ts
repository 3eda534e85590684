import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { DELIMITED, tagOf, VARINT } from '../protobuf/wire.js';
import type { Json } from './schemas.js';

type Write = (writer: BinaryWriter, number: number, value: unknown) => void;
type Fields = Readonly<Record<string, readonly [number: number, write: Write]>>;

const text: Write = (writer, number, value) => void writer.uint32(tagOf(number, DELIMITED)).string(String(value));

const flag: Write = (writer, number, value) => {
  if (value === true) writer.uint32(tagOf(number, VARINT)).bool(true);
};

const each =
  (write: Write): Write =>
  (writer, number, values) => {
    for (const value of Array.isArray(values) ? (values as unknown[]) : [values]) write(writer, number, value);
  };

function nested(writer: BinaryWriter, number: number, write: () => void): void {
  writer.uint32(tagOf(number, DELIMITED)).fork();
  write();
  writer.join();
}

const inside =
  (number: number, write: Write): Write =>
  (writer, outer, value) =>
    nested(writer, outer, () => write(writer, number, value));

/** A map: one message per name and value. */
const named =
  (write: Write): Write =>
  (writer, number, value) => {
    for (const [name, one] of Object.entries(value as Json)) {
      nested(writer, number, () => {
        text(writer, 1, name);
        write(writer, 2, one);
      });
    }
  };

/** Any value, as JSON, which is YAML. */
const any: Write = (writer, number, value) => nested(writer, number, () => text(writer, 2, JSON.stringify(value)));

/** A message; members that begin with `x-` are extensions. */
const message =
  (fields: () => Fields, extensions?: number): Write =>
  (writer, number, value) =>
    nested(writer, number, () => writeFields(writer, fields(), value as Json, extensions));

function writeFields(writer: BinaryWriter, fields: Fields, value: Json, extensions: number | undefined): void {
  for (const [name, [number, write]] of Object.entries(fields)) {
    if (value[name] !== undefined) write(writer, number, value[name]);
  }
  if (extensions === undefined) return;
  const own = Object.entries(value).filter(([name]) => name.startsWith('x-'));
  named(any)(writer, extensions, Object.fromEntries(own));
}

const schema: Write = message(() => SCHEMA, 31);

const SCHEMA: Fields = {
  $ref: [1, text],
  format: [2, text],
  description: [4, text],
  required: [19, each(text)],
  additionalProperties: [21, inside(1, schema)],
  type: [22, inside(1, each(text))],
  items: [23, inside(1, schema)],
  properties: [25, inside(1, named(schema))],
};

const common = { required: [1, flag], in: [2, text], description: [3, text], name: [4, text] } as const;
const queryParameter = message(() => ({ ...common, type: [6, text], uniqueItems: [20, flag] }));
const pathParameter = message(() => ({ ...common, type: [5, text], uniqueItems: [19, flag] }));
const bodyParameter = message(() => ({
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, flag],
  schema: [5, schema],
}));

/** Each kind of parameter has a field of its own. */
const parameter: Write = inside(1, (writer, number, value) => {
  const location = (value as Json)['in'];
  if (location === 'body') inside(1, bodyParameter)(writer, number, value);
  else if (location === 'path') inside(2, inside(4, pathParameter))(writer, number, value);
  else inside(2, inside(3, queryParameter))(writer, number, value);
});

const response: Write = message(() => ({ description: [1, text], schema: [2, inside(1, schema)] }));

const operation: Write = message(
  () => ({
    tags: [1, each(text)],
    description: [3, text],
    operationId: [5, text],
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, each(parameter)],
    responses: [9, inside(1, named(inside(1, response)))],
  }),
  13,
);

const pathItem: Write = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, each(parameter)],
}));

const apiKey = message(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }));

const DOCUMENT: Fields = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  paths: [8, inside(2, named(pathItem))],
  definitions: [9, inside(1, named(schema))],
  security: [12, each(inside(1, named(inside(1, each(text)))))],
  securityDefinitions: [13, inside(1, named(inside(2, apiKey)))],
};

/** An OpenAPI 2.0 document as `openapi.v2.Document`, the message of Google's gnostic that kubectl reads. */
export function swaggerProtobuf(document: Json): Uint8Array {
  const writer = new BinaryWriter();
  writeFields(writer, DOCUMENT, document, undefined);
  return writer.finish();
}
