/**
 * JSON that is not joined yet: written straight into the chunk it leaves in, it is copied once and needs no memory of its
 * own, which is worth a third of the bytes a second of a long list.
 */
export interface UnjoinedJson {
  readonly byteLength: number;
  /** Writes all of it at a place where there is room. */
  writeTo(out: Uint8Array, at: number): void;
  /** The same in parts. Those that are bytes never change, and can be sent without a copy. */
  readonly pieces?: readonly JsonSource[];
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

/** Writes it at a place where there is room. */
export function writeJson(item: JsonSource, out: Uint8Array, at: number): void {
  if ('writeTo' in item) item.writeTo(out, at);
  else if (item.byteLength === 1) out[at] = item[0] as number;
  else out.set(item, at);
}

/** Items of a list with the commas between them: only for a representation that says `joinsItems`. */
export class JoinedItems implements UnjoinedJson {
  readonly byteLength: number;
  readonly pieces: readonly JsonSource[];

  constructor(pieces: readonly JsonSource[]) {
    let length = 0;
    for (const piece of pieces) length += piece.byteLength;
    this.byteLength = length;
    this.pieces = pieces;
  }

  writeTo(out: Uint8Array, at: number): void {
    let place = at;
    for (const piece of this.pieces) {
      writeJson(piece, out, place);
      place += piece.byteLength;
    }
  }
}
