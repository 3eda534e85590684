import { GREATEST_INT64 } from '../../json/json-tree.js';
import { bodyText, parseEmbedded } from '../../json/parse-json.js';
import { scalar } from '../schema/facts.js';
import { lazy } from '../schema/lazy.js';
import type { FieldShape, ScalarShape, StructShape } from '../schema/shape.js';
import { timeText, type TimeType } from '../../time/timestamp.js';
import { message } from './meta-messages.js';
import { DELIMITED, goName, messageEnd, readFields, requireWireType, wireTypeOf, type CountingReader } from './wire.js';

type Target = Record<string, unknown>;

/**
 * Reads a message up to `end` into an object as it would be in JSON: the last of equal fields counts, lists grow,
 * nested messages merge, unknown fields are skipped. Invalid UTF-8 becomes U+FFFD.
 *
 * @throws Error with the words of Kubernetes' generated code, or the library's; RangeError where bytes are missing
 */
export function readMessage(reader: CountingReader, shape: StructShape, end: number, into: Target = {}): Target {
  readFields(reader, shape.name, end, (number, wireType) => {
    const field = shape.byNumber.get(number);
    if (field) readField(reader, field, wireType, into, end);
    return field !== undefined;
  });
  return into;
}

function readField(
  reader: CountingReader,
  { name, shape }: FieldShape,
  wireType: number,
  into: Target,
  outerEnd: number,
): void {
  requireWireType(wireType, wireTypeOf(shape), name);
  switch (shape.kind) {
    case 'scalar':
      into[name] = readScalar(reader, name, shape.type, outerEnd);
      return;
    case 'struct':
      into[name] = readMessage(reader, shape, messageEnd(reader, outerEnd), into[name] as Target | undefined);
      return;
    case 'list': {
      const { item } = shape;
      const value = item.kind === 'struct' ? readMessage(reader, item, messageEnd(reader, outerEnd)) : reader.string();
      ((into[name] ??= []) as unknown[]).push(value);
      return;
    }
    case 'map':
      readEntry(reader, name, messageEnd(reader, outerEnd), (into[name] ??= Object.create(null)) as Target);
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

const timestamp = lazy(() => message('Timestamp', { seconds: scalar('int64'), nanos: scalar('int32') }));

/** A time without any bytes is unset, one of zero seconds is 1970. */
function readTime(reader: CountingReader, name: string, type: TimeType, end: number): string | undefined {
  if (reader.pos === end) return undefined;
  const { seconds = 0, nanos = 0 } = readMessage(reader, timestamp(), end) as { seconds?: number; nanos?: number };
  const text = timeText({ seconds, nanos }, type);
  if (text === undefined) throw new Error(`proto: year out of range for field ${goName(name)}`);
  return text ?? undefined;
}

function readJson(reader: CountingReader, name: string, end: number): unknown {
  let bytes: Uint8Array | undefined;
  readFields(reader, name, end, (number, wireType) => {
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
  const left = reader.fieldsLeft;
  // In JSON its key and value do not count.
  reader.fieldsLeft += 2;
  readFields(reader, name, end, (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    requireWireType(wireType, DELIMITED, name);
    entry[number - 1] = reader.string();
    return true;
  });
  reader.fieldsLeft = Math.min(left, reader.fieldsLeft);
  map[entry[0]] = entry[1];
}
