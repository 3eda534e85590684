import { BinaryReader } from '@bufbuild/protobuf/wire';
import { LONG_TEXT, membersOfText } from '../../json/member-count.js';
import { tooManyMembers } from '../body/member-limit.js';
import type { CountingReader, WireType } from './wire.js';

/** A reader for one body, with the limit on fields that JSON bodies have. */
export function countingReader(bytes: Uint8Array, maxFields: number): CountingReader {
  return Object.assign(new BinaryReader(bytes), { maxFields, fieldsLeft: maxFields });
}

/** Reads a field's value and returns true; false skips the field. */
export type FieldVisitor = (number: number, wireType: number) => boolean;

const END_GROUP = 4;

/**
 * Visits the fields of the message that ends at `end`. Errors call the message by `name`.
 *
 * @throws Error where the message is malformed; RangeError for missing bytes; StatusFailure 413 for too many fields
 */
export function readFields(reader: CountingReader, name: string, end: number, visit: FieldVisitor): void {
  while (reader.pos < end) {
    if (--reader.fieldsLeft < 0) throw tooManyMembers('the body', reader.maxFields);
    const [number, wireType]: [number, number] = reader.tag();
    const from = reader.pos;
    if (visit(number, wireType)) {
      const length = reader.pos - from;
      if (length >= LONG_TEXT) reader.fieldsLeft -= membersOfText(length);
      continue;
    }
    if (wireType === END_GROUP) throw new Error(`proto: ${name}: wiretype end group for non-group`);
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

export function requireWireType(found: number, wanted: WireType, fieldName: string): void {
  if (found !== wanted) throw new Error(`proto: wrong wireType = ${found} for field ${fieldName}`);
}
