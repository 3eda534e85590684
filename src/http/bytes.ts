/** True for a Uint8Array (a Buffer is one), also one of another realm, as test runners make them. */
export function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** Uninitialized memory, for a caller that writes every byte: Node's pool saves 1 µs of 8 in a get. */
export function uninitializedBytes(length: number): Uint8Array {
  // eslint-disable-next-line no-restricted-globals -- only Node has such a pool, and elsewhere nothing is missing without it
  return typeof Buffer === 'function' ? Buffer.allocUnsafe(length) : new Uint8Array(length);
}

/** Base64 with padding. One character after another, because an argument list has a limit. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  let length = 0;
  for (const piece of pieces) length += piece.byteLength;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

/**
 * Collects pieces in one buffer, which grows. A sender decides how small pieces are, and a list of pieces of one byte
 * takes more than a hundred times their bytes.
 */
export class CollectedBytes {
  length = 0;
  #bytes: Uint8Array = new Uint8Array(0);

  /** The first piece is not copied: nothing else may write to its memory. */
  add(piece: Uint8Array): void {
    const { length } = this;
    this.length += piece.byteLength;
    if (length === 0) {
      this.#bytes = piece;
      return;
    }
    if (this.length > this.#bytes.byteLength) {
      const larger = uninitializedBytes(Math.max(this.length, 2 * length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(piece, length);
  }

  /** All pieces, joined. A single piece is returned as it is. */
  joined(): Uint8Array {
    const bytes = this.#bytes;
    return bytes.byteLength === this.length ? bytes : bytes.subarray(0, this.length);
  }
}
