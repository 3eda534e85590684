import { goQuote } from './go-print.js';
import { setMember, type JsonDocument, type JsonResult } from './json-document.js';

/** Paths of duplicates are collected up to this many characters. */
const MAX_PATHS_LENGTH = 65_536;

/** V8 skips a character in a tenth of the time of a loop. */
const BLANKS = /[ \t\n\r]*/y;
const DIGITS = /[0-9]*/y;

/** The text cannot be read. The message is that of Go's `encoding/json`. */
class Refusal extends Error {}

/**
 * Reads JSON character by character, with the errors of Go's `encoding/json`, and notes duplicate keys and the notation
 * of unusual numbers. Several times slower than `JSON.parse`. `maxDepth` also bounds the recursion.
 */
export function parseStrictJson(text: string, maxDepth: number): JsonResult {
  try {
    return { document: new JsonReader(text, maxDepth).read() };
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message };
    throw error;
  }
}

class JsonReader {
  #at = 0;
  #pathsLength = 0;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #path: (string | number)[] = [];
  readonly #duplicates: string[] = [];
  readonly #repeats = new WeakMap<object, readonly string[]>();
  readonly #numbers = new WeakMap<object, ReadonlyMap<string, string>>();
  /** V8 skips this many characters at once, ten times as fast as a loop. Limited, because V8 keeps state for each. */
  // eslint-disable-next-line no-control-regex -- control characters are not allowed in a string
  readonly #inString = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  read(): JsonDocument {
    this.#blank();
    const value = this.#value();
    this.#blank();
    if (this.#at < this.#text.length) this.#refuse('after top-level value');
    return { value, duplicates: this.#duplicates, repeats: this.#repeats, numbers: this.#numbers };
  }

  #value(): unknown {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return Number(this.#number());
    }
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    for (let more = this.#opens(']'); more; more = this.#continues(']', 'after array element')) {
      this.#path.push(list.length);
      list.push(this.#value());
      this.#path.pop();
    }
    return list;
  }

  #object(): object {
    const object: Record<string, unknown> = {};
    const keys: string[] = [];
    const numbers = new Map<string, string>();
    let repeated = false;
    for (let more = this.#opens('}'); more; more = this.#continues('}', 'after object key:value pair')) {
      if (this.#peek() !== '"') this.#refuse('looking for beginning of object key string');
      const key = this.#string();
      this.#blank();
      if (!this.#pass(':')) this.#refuse('after object key');
      this.#blank();
      keys.push(key);
      this.#path.push(key);
      if (Object.hasOwn(object, key)) {
        repeated = true;
        this.#tellDuplicate();
      }
      const start = this.#at;
      const value = this.#value();
      numbers.delete(key);
      if (typeof value === 'number') {
        const source = this.#text.slice(start, this.#at);
        if (!Number.isSafeInteger(value) || /[.eE]/.test(source)) numbers.set(key, source);
      }
      setMember(object, key, value);
      this.#path.pop();
    }
    if (repeated) this.#repeats.set(object, keys);
    if (numbers.size > 0) this.#numbers.set(object, numbers);
    return object;
  }

  /** At `[` or `{`: whether an item follows. */
  #opens(close: string): boolean {
    if (this.#path.length >= this.#maxDepth) this.#refuse('exceeded max depth');
    this.#at++;
    this.#blank();
    return !this.#pass(close);
  }

  /** After an item: whether another one follows. */
  #continues(close: string, where: string): boolean {
    this.#blank();
    if (this.#pass(close)) return false;
    if (!this.#pass(',')) this.#refuse(where);
    this.#blank();
    return true;
  }

  #tellDuplicate(): void {
    if (this.#pathsLength >= MAX_PATHS_LENGTH) return;
    let path = '';
    for (const step of this.#path) {
      if (typeof step === 'number') path += `[${step}]`;
      else path += path === '' ? step : `.${step}`;
    }
    // Steps of empty keys leave nothing in the text.
    this.#pathsLength += Math.max(path.length, this.#path.length);
    this.#duplicates.push(path);
  }

  #word<T>(word: string, value: T): T {
    for (let index = 1; index < word.length; index++) {
      this.#at++;
      if (this.#peek() === word[index]) continue;
      this.#refuse(`in literal ${word} (expecting ${quoteChar(word.charCodeAt(index))})`);
    }
    this.#at++;
    return value;
  }

  #number(): string {
    const start = this.#at;
    if (!/[-0-9]/.test(this.#peek())) this.#refuse('looking for beginning of value');
    this.#pass('-');
    if (!this.#pass('0')) this.#digits('in numeric literal');
    if (this.#pass('.')) this.#digits('after decimal point in numeric literal');
    if (this.#pass('e') || this.#pass('E')) {
      if (!this.#pass('-')) this.#pass('+');
      this.#digits('in exponent of numeric literal');
    }
    return this.#text.slice(start, this.#at);
  }

  #digits(where: string): void {
    const start = this.#at;
    this.#skip(DIGITS);
    if (this.#at === start) this.#refuse(where);
  }

  #string(): string {
    const start = this.#at++;
    this.#inString.lastIndex = this.#at;
    while (this.#inString.test(this.#text)) this.#at = this.#inString.lastIndex;
    if (!this.#pass('"')) {
      // An invalid escape is read character by character, to find its first invalid character.
      if (this.#pass('\\')) this.#escape();
      this.#refuse('in string literal');
    }
    const source = this.#text.slice(start, this.#at);
    const text = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1);
    // Go cannot represent an unpaired surrogate, and reads U+FFFD.
    return text.toWellFormed();
  }

  #escape(): void {
    if (!this.#pass('u')) this.#refuse('in string escape code');
    while (/[0-9a-fA-F]/.test(this.#peek())) this.#at++;
    this.#refuse('in \\u hexadecimal character escape');
  }

  #blank(): void {
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#skip(BLANKS);
  }

  #skip(characters: RegExp): void {
    characters.lastIndex = this.#at;
    characters.test(this.#text);
    this.#at = characters.lastIndex;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #pass(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }

  /** Go shows the byte, not the character, and reads a space after the end, which not every state accepts. */
  #refuse(where: string): never {
    const acceptsSpace = /^(?!in |after d)|string literal/.test(where);
    const point = this.#text.codePointAt(this.#at) ?? (acceptsSpace ? undefined : 0x20);
    if (point === undefined) throw new Refusal('unexpected end of JSON input');
    const [byte = point] = new TextEncoder().encode(String.fromCodePoint(point));
    throw new Refusal(`invalid character ${quoteChar(byte)} ${where}`);
  }
}

function quoteChar(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(code)).slice(1, -1)}'`;
}
