import { longerThan } from '../../api/validation/byte-length.js';

const MARK = '…';
const MARK_BYTES = 3;

/** A text of at most `maxBytes` bytes in UTF-8: a longer one is cut between two characters and ends in `…`. */
export function shorten(text: string, maxBytes: number): string {
  let kept = text;
  if (longerThan(text, maxBytes)) {
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - MARK_BYTES));
    kept = text.slice(0, read) + MARK;
  }
  // Halves of surrogate pairs are no characters: strict servers refuse them.
  return kept.replace(/[\ud800-\udfff]/gu, '\ufffd');
}
