import { BinaryReader } from '@bufbuild/protobuf/wire';
import { membersOfText } from '../../json/member-count.js';
import { tooManyMembers } from '../body/parse-body.js';
import type { Shape } from '../schema/shape.js';

/** `k8s` and a zero byte, which identify an object in protobuf. */
export const MAGIC: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

export const VARINT = 0;
export const DELIMITED = 2;
const END_GROUP = 4;

/** The ways to write a value. The others of protobuf do not occur in Kubernetes' messages. */
export type WireType = typeof VARINT | typeof DELIMITED;

/** How a value is written. */
export function wireTypeOf(shape: Shape): WireType {
  if (shape.kind !== 'scalar') return DELIMITED;
  return shape.type === 'bool' || shape.type === 'int32' || shape.type === 'int64' ? VARINT : DELIMITED;
}

export function tagOf(number: number, wireType: WireType): number {
  return number * 8 + wireType;
}

/** A reader with the number of fields that it may read in all, and of those that are left. */
export type CountingReader = BinaryReader & { readonly maxFields: number; fieldsLeft: number };

/** A reader for one body, with the limit on fields that JSON bodies have. */
export function countingReader(bytes: Uint8Array, maxFields: number): CountingReader {
  return Object.assign(new BinaryReader(bytes), { maxFields, fieldsLeft: maxFields });
}

/**
 * Visits the fields of the message, or JSON member, `name` that ends at `end`. `visit` reads a value; false skips it.
 *
 * @throws Error for a malformed message; RangeError for missing bytes; StatusFailure 413 for too many fields
 */
export function readFields(
  reader: CountingReader,
  name: string,
  end: number,
  visit: (number: number, wireType: number) => boolean,
): void {
  while (reader.pos < end) {
    if (--reader.fieldsLeft < 0) throw tooManyMembers('the body', reader.maxFields);
    const [number, wireType]: [number, number] = reader.tag();
    const from = reader.pos;
    const left = reader.fieldsLeft;
    if (visit(number, wireType)) {
      // A message has counted what is in it.
      if (reader.fieldsLeft === left) reader.fieldsLeft -= membersOfText(reader.pos - from);
      continue;
    }
    if (wireType === END_GROUP) throw new Error(`proto: ${goName(name)}: wiretype end group for non-group`);
    reader.skip(wireType, number);
  }
  if (reader.pos > end) throw missingBytes();
}

/** Reads the length of a nested message and returns its end. @throws RangeError when it is beyond the outer message */
export function messageEnd(reader: BinaryReader, outerEnd: number): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > outerEnd) throw missingBytes();
  return end;
}

const missingBytes = (): RangeError => new RangeError('unexpected EOF');

/** `name`: that of the field in Go or in JSON. */
export function requireWireType(found: number, wanted: WireType, name: string): void {
  if (found !== wanted) throw new Error(`proto: wrong wireType = ${found} for field ${goName(name)}`);
}

/** The Go names that differ from the JSON name in more than the first letter. */
const GO_NAMES: ReadonlyMap<string, string> = new Map([
  ['metadata', 'ObjectMeta'],
  ['apiVersion', 'APIVersion'],
  ['uid', 'UID'],
]);

/** The name in Go of what has a name in JSON, or in Go already. */
export function goName(name: string): string {
  return GO_NAMES.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);
}
