import { lazy } from '../schema/lazy.js';

/** Writes the primitives of protobuf's wire format. */
export type WireWriter = import('@bufbuild/protobuf/wire').BinaryWriter;
/** Reads the primitives of protobuf's wire format. Throws on whatever is malformed. */
export type WireReader = import('@bufbuild/protobuf/wire').BinaryReader;

/** A reader that knows how many fields it may read in all, and how many are left of them. */
export type CountingReader = WireReader & { readonly mostFields: number; fieldsLeft: number };

/** The protobuf runtime, as far as it is used: reading and writing primitives. */
export interface WireLibrary {
  readonly BinaryWriter: new () => WireWriter;
  readonly BinaryReader: new (bytes: Uint8Array) => WireReader;
}

/** Loads the protobuf runtime: only a request that speaks protobuf pays for it. */
export const wireLibrary: () => Promise<WireLibrary> = lazy(() => import('@bufbuild/protobuf/wire'));

/** Wire type of booleans and integers. */
export const VARINT = 0;
/** Wire type of texts, bytes and messages. */
export const DELIMITED = 2;

/** How a value is written. The others of protobuf do not occur in Kubernetes' messages. */
export type WireType = typeof VARINT | typeof DELIMITED;

/** What stands before a field's value. */
export function tagOf(number: number, wireType: WireType): number {
  return number * 8 + wireType;
}
