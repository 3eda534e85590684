import { lazy } from '../schema/lazy.js';

/** Writes primitives in protobuf's wire format. */
export type WireWriter = import('@bufbuild/protobuf/wire').BinaryWriter;
/** Reads primitives in protobuf's wire format. Throws on malformed bytes. */
export type WireReader = import('@bufbuild/protobuf/wire').BinaryReader;

/** A reader with the number of fields that it may read in all, and of those that are left. */
export type CountingReader = WireReader & { readonly mostFields: number; fieldsLeft: number };

/** The protobuf runtime, as far as it is used: reading and writing primitives. */
export interface WireLibrary {
  readonly BinaryWriter: new () => WireWriter;
  readonly BinaryReader: new (bytes: Uint8Array) => WireReader;
}

const loaded: () => { library?: WireLibrary } = lazy(() => ({}));

const loading: () => Promise<WireLibrary> = lazy(async () => {
  const library = await import('@bufbuild/protobuf/wire');
  loaded().library = library;
  return library;
});

/** The protobuf runtime: loaded by the first request that needs it, and there at once for all others. */
export const wireLibrary = (): WireLibrary | Promise<WireLibrary> => loaded().library ?? loading();

/** Wire type of booleans and integers. */
export const VARINT = 0;
/** Wire type of texts, bytes and messages. */
export const DELIMITED = 2;

/** How a value is written. The others of protobuf do not occur in Kubernetes' messages. */
export type WireType = typeof VARINT | typeof DELIMITED;

/** The tag in front of a field's value. */
export function tagOf(number: number, wireType: WireType): number {
  return number * 8 + wireType;
}
