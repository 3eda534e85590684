import { bodyText } from '../../json/parse-json.js';

const BACKSLASH = 0x5c;
const LARGE_U = 0x55;
const SMALL_U = 0x75;
const SMALL_X = 0x78;
const LAST_WITH_LETTER = 0x2029;
const DIGITS = /* @__PURE__ */ new TextEncoder().encode('0123456789ABCDEF');

const LETTERS: ReadonlyMap<number, string> = /* @__PURE__ */ new Map([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/** Collects a text character by character, as bytes: concatenating millions of strings would take ten times as long. */
export class TextBuffer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length + 64);
  }

  /** Appends a character of the Basic Multilingual Plane that is no surrogate. */
  unit(unit: number): void {
    const bytes = this.#ensureCapacity(3);
    if (unit < 0x80) {
      bytes[this.#length++] = unit;
    } else if (unit < 0x800) {
      bytes[this.#length++] = 0xc0 | (unit >> 6);
      bytes[this.#length++] = 0x80 | (unit & 0x3f);
    } else {
      bytes[this.#length++] = 0xe0 | (unit >> 12);
      bytes[this.#length++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[this.#length++] = 0x80 | (unit & 0x3f);
    }
  }

  ascii(text: string): void {
    const bytes = this.#ensureCapacity(text.length);
    for (let at = 0; at < text.length; at++) bytes[this.#length++] = text.charCodeAt(at);
  }

  /** Appends the escape of a character, and returns its length. */
  escaped(code: number): number {
    const bytes = this.#ensureCapacity(10);
    let at = this.#length;
    bytes[at++] = BACKSLASH;
    const letter = code <= LAST_WITH_LETTER ? LETTERS.get(code) : undefined;
    let digits = 0;
    if (letter !== undefined) {
      bytes[at++] = letter.charCodeAt(0);
    } else {
      digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
      bytes[at++] = code <= 0xff ? SMALL_X : code <= 0xffff ? SMALL_U : LARGE_U;
      for (let shift = 4 * digits - 4; shift >= 0; shift -= 4) {
        bytes[at++] = DIGITS[(code >>> shift) & 0xf] as number;
      }
    }
    this.#length = at;
    return digits + 2;
  }

  text(): string {
    return bodyText(this.#bytes.subarray(0, this.#length));
  }

  #ensureCapacity(more: number): Uint8Array {
    if (this.#length + more > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#bytes.length + more);
      bytes.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = bytes;
    }
    return this.#bytes;
  }
}
