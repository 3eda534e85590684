/** The characters whose escape is a single letter, and these letters. */
const LETTERS: ReadonlyMap<number, string> = new Map(
  [...'\0\u0007\b\t\n\v\f\r\u001b"\\\u0085\u2028\u2029'].map((char, index) => [
    char.charCodeAt(0),
    `\\${'0abtnvfre"\\NLP'.charAt(index)}`,
  ]),
);
const DIGITS = '0123456789ABCDEF';
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Collects a text character by character, as bytes: concatenating millions of strings would take ten times as long. */
export class TextBuffer {
  #bytes: Uint8Array;
  #length = 0;

  /** @param length the number of characters to reserve room for */
  constructor(length: number) {
    this.#bytes = new Uint8Array(length + 64);
  }

  /** Appends a character of the Basic Multilingual Plane that is not a surrogate. */
  unit(unit: number): void {
    if (this.#length + 3 > this.#bytes.length) {
      const bytes = new Uint8Array(2 * this.#bytes.length);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    const bytes = this.#bytes;
    if (unit < 0x80) {
      bytes[this.#length++] = unit;
      return;
    }
    if (unit < 0x800) {
      bytes[this.#length++] = 0xc0 | (unit >> 6);
    } else {
      bytes[this.#length++] = 0xe0 | (unit >> 12);
      bytes[this.#length++] = 0x80 | ((unit >> 6) & 0x3f);
    }
    bytes[this.#length++] = 0x80 | (unit & 0x3f);
  }

  /** Appends a short text of ASCII characters. */
  ascii(text: string): void {
    for (let at = 0; at < text.length; at++) this.unit(text.charCodeAt(at));
  }

  /** Appends the escape of a character, and returns its length. */
  escaped(code: number): number {
    const letter = LETTERS.get(code);
    if (letter !== undefined) {
      this.ascii(letter);
      return 2;
    }
    const digits = code <= 0xff ? 2 : code <= 0xffff ? 4 : 8;
    this.ascii(digits === 2 ? '\\x' : digits === 4 ? '\\u' : '\\U');
    for (let shift = 4 * digits - 4; shift >= 0; shift -= 4) this.unit(DIGITS.charCodeAt((code >>> shift) & 0xf));
    return digits + 2;
  }

  text(): string {
    return decoder.decode(this.#bytes.subarray(0, this.#length));
  }
}
