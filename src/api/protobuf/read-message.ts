import { GREATEST_INT64 } from '../../json/json-tree.js';
import { bodyText, parseEmbedded } from '../../json/parse-json.js';
import type { ScalarShape } from '../schema/shape.js';
import type { Message, MessageField } from './message.js';
import { messageEnd, readFields, requireWireType } from './read-fields.js';
import { timeText, type TimeType } from '../../time/timestamp.js';
import { DELIMITED, VARINT, type CountingReader } from './wire.js';

type Target = Record<string, unknown>;

/**
 * Reads a message up to `end` into an object as it would be in JSON, by the rules of protobuf: the last of equal fields
 * counts, lists grow, nested messages are merged, unknown fields are skipped. Invalid UTF-8 becomes U+FFFD. The
 * types bound how deep messages nest, the library how deep groups in unknown fields do.
 *
 * @throws Error with the words of Kubernetes' generated code, or the library's; RangeError where bytes are missing
 */
export function readMessage(reader: CountingReader, message: Message, end: number, into: Target = {}): Target {
  readFields(reader, message.name, end, (number, wireType) => {
    const field = message.byNumber.get(number);
    if (field) readField(reader, field, wireType, into, end);
    return field !== undefined;
  });
  return into;
}

const VARINTS: ReadonlySet<ScalarShape['type']> = new Set(['bool', 'int32', 'int64'] as const);

function readField(
  reader: CountingReader,
  field: MessageField,
  wireType: number,
  into: Target,
  outerEnd: number,
): void {
  const { name, type } = field;
  const wanted = type.kind === 'scalar' && VARINTS.has(type.type) ? VARINT : DELIMITED;
  requireWireType(wireType, wanted, goName(name));
  switch (type.kind) {
    case 'scalar':
      into[name] = readScalar(reader, name, type.type, outerEnd);
      return;
    case 'message':
      into[name] = readMessage(reader, type.message, messageEnd(reader, outerEnd), into[name] as Target | undefined);
      return;
    case 'list': {
      const { item } = type;
      const value = item === 'string' ? reader.string() : readMessage(reader, item, messageEnd(reader, outerEnd));
      ((into[name] ??= []) as unknown[]).push(value);
      return;
    }
    case 'map':
      readEntry(reader, name, messageEnd(reader, outerEnd), (into[name] ??= Object.create(null)) as Target);
      return;
    case 'strings':
      throw new TypeError('a list in a message of its own occurs only in discovery documents, which are never read');
  }
}

function readScalar(reader: CountingReader, name: string, type: ScalarShape['type'], outerEnd: number): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return Math.min(Number(reader.int64()), GREATEST_INT64);
    case 'time':
    case 'micro-time':
      return readTime(reader, name, type, messageEnd(reader, outerEnd));
    case 'json':
      return readJson(reader, name, messageEnd(reader, outerEnd));
  }
}

/** A time without any bytes is unset, one of zero seconds is 1970. */
function readTime(reader: CountingReader, name: string, type: TimeType, end: number): string | undefined {
  if (reader.pos === end) return undefined;
  let seconds = 0;
  let nanos = 0;
  readFields(reader, 'Timestamp', end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, VARINT, number === 1 ? 'Seconds' : 'Nanos');
    if (number === 1) seconds = Number(reader.int64());
    else nanos = reader.int32();
    return true;
  });
  const text = timeText({ seconds, nanos }, type);
  if (text === undefined) throw new Error(`proto: year out of range for field ${goName(name)}`);
  return text ?? undefined;
}

function readJson(reader: CountingReader, name: string, end: number): unknown {
  let bytes: Uint8Array | undefined;
  readFields(reader, goName(name), end, (number, wireType) => {
    if (number !== 1) return false;
    requireWireType(wireType, DELIMITED, 'Raw');
    bytes = reader.bytes();
    return true;
  });
  if (!bytes || bytes.length === 0) return undefined;
  const result = parseEmbedded(bodyText(bytes), reader.maxFields);
  if ('error' in result) throw new Error(`proto: invalid JSON for field ${goName(name)}: ${result.error}`);
  return result.document.value;
}

/** The client chooses the keys: `map` has no prototype. */
function readEntry(reader: CountingReader, name: string, end: number, map: Target): void {
  const entry: [key: string, value: string] = ['', ''];
  readFields(reader, goName(name), end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, DELIMITED, goName(name));
    entry[number - 1] = reader.string();
    return true;
  });
  map[entry[0]] = entry[1];
}

/** The Go names that differ from the JSON name in more than the first letter. */
const GO_NAMES: ReadonlyMap<string, string> = new Map([
  ['metadata', 'ObjectMeta'],
  ['apiVersion', 'APIVersion'],
  ['uid', 'UID'],
]);

function goName(name: string): string {
  return GO_NAMES.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);
}
