const encoder = new TextEncoder();
const decoder = new TextDecoder();

export type Packer = ReturnType<typeof createPacker>;
export type Unpacker = ReturnType<typeof createUnpacker>;

/** Packs numbers and bytes into transferable buffers, of `expectedBytes` at first; with cuts, all of that size. */
export function createPacker(expectedBytes = 2048) {
  const bufferBytes = Math.max(16, expectedBytes);
  let buffer = new Uint8Array(bufferBytes);
  let view = new DataView(buffer.buffer);
  let start = 0;
  let at = 0;

  const reserve = (count: number): void => {
    if (at + count <= buffer.length) return;
    const used = at - start;
    const larger = new Uint8Array(Math.max(bufferBytes, 2 * used, used + count));
    larger.set(buffer.subarray(start, at));
    buffer = larger;
    view = new DataView(buffer.buffer);
    at -= start;
    start = 0;
  };

  return {
    number(value: number): void {
      reserve(8);
      view.setFloat64(at, value);
      at += 8;
    },
    bytes(value: Uint8Array): void {
      reserve(4 + value.length);
      view.setUint32(at, value.length);
      buffer.set(value, at + 4);
      at += 4 + value.length;
    },
    text(value: string): void {
      reserve(4 + value.length * 3);
      const { written } = encoder.encodeInto(value, buffer.subarray(at + 4));
      view.setUint32(at, written);
      at += 4 + written;
    },
    /** Everything written since the last cut. Later writes do not change it. */
    cut(): Uint8Array {
      const written = buffer.subarray(start, at);
      start = at;
      return written;
    },
    /** The buffer of a packer without cuts, with unused room at its end. Consumes the packer. */
    finish: (): ArrayBuffer => buffer.buffer,
  };
}

/** Reads what a {@link Packer} wrote, in the same order. Byte strings are views into the message. */
export function createUnpacker(message: Uint8Array) {
  const { buffer, byteOffset } = message;
  const view = new DataView(buffer, byteOffset);
  let at = 0;
  const bytes = (): Uint8Array => {
    const length = view.getUint32(at);
    at += 4 + length;
    return new Uint8Array(buffer, byteOffset + at - length, length);
  };
  return {
    number(): number {
      at += 8;
      return view.getFloat64(at - 8);
    },
    bytes: (): Uint8Array => bytes(),
    text: (): string => decoder.decode(bytes()),
  };
}
