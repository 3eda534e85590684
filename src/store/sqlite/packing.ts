/** Writes numbers and byte strings one after the other into one buffer that can be transferred to another thread. */
export interface Packer {
  number(value: number): void;
  bytes(value: Uint8Array): void;
  /** As UTF-8. */
  text(value: string): void;
  /** What was written, with nothing behind it. The packer is used up. */
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

/** Makes a packer. `expectedBytes` spares it from growing. */
export function createPacker(expectedBytes = 1024): Packer {
  let buffer = new Uint8Array(Math.max(16, expectedBytes));
  let view = new DataView(buffer.buffer);
  let at = 0;

  const reserve = (count: number): void => {
    if (at + count <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, at + count));
    larger.set(buffer.subarray(0, at));
    buffer = larger;
    view = new DataView(buffer.buffer);
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
    finish: () => (at === buffer.length ? buffer.buffer : buffer.buffer.slice(0, at)),
  };
}

/** Makes an unpacker. */
export function createUnpacker(buffer: ArrayBuffer): Unpacker {
  const view = new DataView(buffer);
  let at = 0;
  const bytes = (): Uint8Array => {
    const length = view.getUint32(at);
    at += 4 + length;
    return new Uint8Array(buffer, at - length, length);
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
