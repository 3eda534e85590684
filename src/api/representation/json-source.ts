/**
 * JSON that is not joined yet: written straight into the chunk it leaves in, it is copied once and needs no memory of its
 * own, which is worth a third of the bytes a second of a long list.
 */
export interface UnjoinedJson {
  readonly byteLength: number;
  /** Writes all of it at a place where there is room. */
  writeTo(out: Uint8Array, at: number): void;
}

/** JSON as bytes, or as somebody who can write them. */
export type JsonSource = Uint8Array | UnjoinedJson;

/** The bytes themselves. */
export function jsonBytes(item: JsonSource): Uint8Array {
  if (!('writeTo' in item)) return item;
  const bytes = new Uint8Array(item.byteLength);
  item.writeTo(bytes, 0);
  return bytes;
}
