/** Writes numbers and byte strings one after the other into one buffer that can be transferred to another thread. */
export interface Packer {
  number(value: number): void;
  bytes(value: Uint8Array): void;
  /** As UTF-8. */
  text(value: string): void;
  /** What was written since the last cut. It stays as it is: the packer goes on behind it, or in another buffer. */
  cut(): Uint8Array;
  /** The buffer of a packer without cuts: what was written, and some room behind it. Consumes the packer. */
  finish(): ArrayBuffer;
}

/** Reads what a {@link Packer} wrote, in the same order. Byte strings are views into the buffer. */
export interface Unpacker {
  number(): number;
  bytes(): Uint8Array;
  text(): string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes a packer. `expectedBytes` spares it from growing; with cuts it is the size of its buffers. */
export function createPacker(expectedBytes = 2048): Packer {
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
    number(value) {
      reserve(8);
      view.setFloat64(at, value);
      at += 8;
    },
    bytes(value) {
      reserve(4 + value.length);
      view.setUint32(at, value.length);
      buffer.set(value, at + 4);
      at += 4 + value.length;
    },
    text(value) {
      reserve(4 + value.length * 3);
      const { written } = encoder.encodeInto(value, buffer.subarray(at + 4));
      view.setUint32(at, written);
      at += 4 + written;
    },
    cut() {
      const written = buffer.subarray(start, at);
      start = at;
      return written;
    },
    finish: () => buffer.buffer,
  };
}

/** Makes an unpacker of what is in a message, or in a part of one. */
export function createUnpacker(message: Uint8Array): Unpacker {
  const { buffer, byteOffset } = message;
  const view = new DataView(buffer, byteOffset);
  let at = 0;
  const bytes = (): Uint8Array => {
    const length = view.getUint32(at);
    at += 4 + length;
    return new Uint8Array(buffer, byteOffset + at - length, length);
  };
  return {
    number() {
      at += 8;
      return view.getFloat64(at - 8);
    },
    bytes,
    text: () => decoder.decode(bytes()),
  };
}
