import { goQuote } from './go-print.js';
import { wellFormed } from './json-document.js';

const END = 'unexpected end of JSON input';

/**
 * Reads the pieces of a JSON text. The first failure is kept in `error`, in the words of Go's `encoding/json`; what is
 * returned after it means nothing.
 */
export class JsonLexer {
  at = 0;
  error: string | undefined;
  private readonly text: string;
  /**
   * Characters of a string that V8 skips at once: ten times as fast as a loop. The number is limited
   * because V8 keeps state for each.
   */
  // eslint-disable-next-line no-control-regex -- they are not allowed in a string
  private readonly inString = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; undefined at the end. */
  peek(): string | undefined {
    return this.text[this.at];
  }

  /** Skips white space. */
  blank(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  /** Reads the rest of `true`, `false` or `null`; its first character has been seen. */
  word(word: string): void {
    for (let index = 1; index < word.length; index++) {
      this.at++;
      if (this.text[this.at] !== word[index]) {
        this.refuse(`in literal ${word} (expecting ${quoteChar(word.charCodeAt(index))})`);
        return;
      }
    }
    this.at++;
  }

  /** Reads a number and returns it as it was written. */
  number(): string {
    const start = this.at;
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else if (!this.digits('in numeric literal')) return '';
    if (this.text[this.at] === '.') {
      this.at++;
      if (!this.digits('after decimal point in numeric literal')) return '';
    }
    if (/[eE]/.test(this.text[this.at] ?? '')) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? '')) this.at++;
      if (!this.digits('in exponent of numeric literal')) return '';
    }
    return this.text.slice(start, this.at);
  }

  /** Reads the string at the current position. */
  string(): string {
    const start = this.at++;
    while (this.pass(this.inString));
    const code = this.text.charCodeAt(this.at);
    if (code !== 0x22) {
      // An invalid escape is read character by character, to find the wrong one.
      if (code === 0x5c) this.escape();
      else this.refuse('in string literal');
      return '';
    }
    const source = this.text.slice(start, ++this.at);
    return wellFormed(source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1));
  }

  /** Keeps the first error. Go shows the byte, not the character. */
  refuse(context: string): void {
    if (this.error !== undefined) return;
    const point = this.text.codePointAt(this.at);
    if (point === undefined) {
      this.error = END;
      return;
    }
    const byte = point < 0x80 ? point : (new TextEncoder().encode(String.fromCodePoint(point))[0] as number);
    this.error = `invalid character ${quoteChar(byte)} ${context}`;
  }

  /** Whether the text continues with `word`; if so, skips it. */
  private pass(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  private digits(context: string): boolean {
    const start = this.at;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (!(code >= 0x30 && code <= 0x39)) break;
      this.at++;
    }
    if (this.at === start) this.refuse(context);
    return this.at > start;
  }

  private escape(): void {
    this.at++;
    const char = this.text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) {
      this.refuse('in string escape code');
      return;
    }
    this.at++;
    if (char !== 'u') return;
    for (let digit = 0; digit < 4; digit++, this.at++) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) {
        this.refuse('in \\u hexadecimal character escape');
        return;
      }
    }
  }
}

function quoteChar(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(code)).slice(1, -1)}'`;
}
