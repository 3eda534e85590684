import type { BinaryReader } from '@bufbuild/protobuf/wire';

/** A reader with the number of fields that it may read in all, and of those that are left. */
export type CountingReader = BinaryReader & { readonly maxFields: number; fieldsLeft: number };

/** Wire type of booleans and integers. */
export const VARINT = 0;
/** Wire type of texts, bytes and messages. */
export const DELIMITED = 2;

/** How a value is written. The others of protobuf do not occur in Kubernetes' messages. */
export type WireType = typeof VARINT | typeof DELIMITED;

export function tagOf(number: number, wireType: WireType): number {
  return number * 8 + wireType;
}
