/** JSON that is written on demand, directly into the output buffer. */
export interface JsonWriter {
  /** How many bytes `writeTo` writes. */
  readonly byteLength: number;
  /** Writes all of it, always the same bytes; `out` must have room for it. */
  writeTo(out: Uint8Array, at: number): void;
}

/** JSON as bytes, which never change, or as an object that writes them. */
export type JsonSource = Uint8Array | JsonWriter;

export function jsonBytes(source: JsonSource): Uint8Array {
  if (!('writeTo' in source)) return source;
  const bytes = new Uint8Array(source.byteLength);
  source.writeTo(bytes, 0);
  return bytes;
}

/** Writes the bytes; `out` must have room for them. */
export function writeJson(source: JsonSource, out: Uint8Array, at: number): void {
  if ('writeTo' in source) source.writeTo(out, at);
  else if (source.byteLength === 1) out[at] = source[0] as number;
  else out.set(source, at);
}

export class JsonPieces implements JsonWriter {
  readonly byteLength: number;
  readonly pieces: readonly JsonSource[];

  constructor(pieces: readonly JsonSource[]) {
    let length = 0;
    for (const piece of pieces) length += piece.byteLength;
    this.byteLength = length;
    this.pieces = pieces;
  }

  writeTo(out: Uint8Array, at: number): void {
    writePieces(this.pieces, out, at);
  }
}

/** Writes the bytes of all pieces; `out` must have room for them. */
export function writePieces(pieces: readonly JsonSource[], out: Uint8Array, at: number): void {
  let offset = at;
  for (const piece of pieces) {
    writeJson(piece, out, offset);
    offset += piece.byteLength;
  }
}
