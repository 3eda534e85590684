import { goQuote } from '../status/go-quote.js';
import { setMember, wellFormed, type JsonResult } from './json-document.js';

/** An object or array that is being read. `key` is the member that comes next. */
interface Frame {
  readonly target: Record<string, unknown> | unknown[];
  readonly keys: string[];
  readonly seen: Set<string> | undefined;
  readonly numbers: Map<string, string>;
  key: string;
  repeated: boolean;
}

const END = 'unexpected end of JSON input';

/**
 * Reads JSON character by character, without recursion, with the errors of Go's `encoding/json`, and notes duplicate keys
 * and the written form of odd numbers. Several times slower than `JSON.parse`: for texts that need it.
 */
export function readExactly(text: string, maxDepth: number): JsonResult {
  return new JsonReader(text, maxDepth).read();
}

class JsonReader {
  private readonly text: string;
  private readonly maxDepth: number;
  private at = 0;
  private error: string | undefined;
  private readonly stack: Frame[] = [];
  private readonly duplicates: string[] = [];
  private readonly repeats = new WeakMap<object, readonly string[]>();
  private readonly numbers = new WeakMap<object, ReadonlyMap<string, string>>();
  private root: unknown;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  read(): JsonResult {
    this.blank();
    let open = this.value();
    while (this.error === undefined && this.stack.length > 0) open = open ? this.first() : this.next();
    this.blank();
    if (this.error === undefined && this.at < this.text.length) this.refuse('after top-level value');
    if (this.error !== undefined) return { error: this.error };
    const { root: value, duplicates, repeats, numbers } = this;
    return { document: { value, duplicates, repeats, numbers } };
  }

  /** After `[` or `{`: the first item or the end. Returns whether another container was opened. */
  private first(): boolean {
    const frame = this.top();
    this.blank();
    if (this.text[this.at] === (Array.isArray(frame.target) ? ']' : '}')) return this.close();
    return this.item(frame);
  }

  /** After an item: a comma and the next one, or the end. */
  private next(): boolean {
    const frame = this.top();
    const list = Array.isArray(frame.target);
    this.blank();
    const char = this.text[this.at];
    if (char === (list ? ']' : '}')) return this.close();
    if (char !== ',') {
      this.refuse(list ? 'after array element' : 'after object key:value pair');
      return false;
    }
    this.at++;
    this.blank();
    return this.item(frame);
  }

  private item(frame: Frame): boolean {
    if (!Array.isArray(frame.target)) {
      if (this.text[this.at] !== '"') {
        this.refuse('looking for beginning of object key string');
        return false;
      }
      this.enter(frame, this.string());
      this.blank();
      if (this.error === undefined && this.text[this.at] !== ':') this.refuse('after object key');
      if (this.error !== undefined) return false;
      this.at++;
      this.blank();
    }
    return this.value();
  }

  private enter(frame: Frame, key: string): void {
    if (this.error !== undefined) return;
    frame.key = key;
    frame.keys.push(key);
    if (frame.seen?.has(key)) {
      frame.repeated = true;
      this.duplicates.push(this.path());
    } else {
      frame.seen?.add(key);
    }
    frame.numbers.delete(key);
  }

  private path(): string {
    let path = '';
    for (const frame of this.stack) {
      if (Array.isArray(frame.target)) path += `[${frame.target.length}]`;
      else path += path === '' ? frame.key : `.${frame.key}`;
    }
    return path;
  }

  /** Reads a scalar, or opens a container and returns true. */
  private value(): boolean {
    const char = this.text[this.at];
    switch (char) {
      case '{':
      case '[':
        if (this.stack.length >= this.maxDepth) this.refuse('exceeded max depth');
        else this.open(char === '[');
        return this.error === undefined;
      case '"':
        this.put(this.string());
        return false;
      case 't':
        this.word('true', true);
        return false;
      case 'f':
        this.word('false', false);
        return false;
      case 'n':
        this.word('null', null);
        return false;
      default:
        if (char !== undefined && /[-0-9]/.test(char)) this.number();
        else this.refuse('looking for beginning of value');
        return false;
    }
  }

  private open(list: boolean): void {
    this.at++;
    const target = list ? [] : {};
    this.stack.push({
      target,
      keys: [],
      seen: list ? undefined : new Set(),
      numbers: new Map(),
      key: '',
      repeated: false,
    });
  }

  private close(): false {
    this.at++;
    const frame = this.stack.pop() as Frame;
    if (frame.repeated) this.repeats.set(frame.target, frame.keys);
    if (frame.numbers.size > 0) this.numbers.set(frame.target, frame.numbers);
    this.put(frame.target);
    return false;
  }

  private put(value: unknown): void {
    if (this.error !== undefined) return;
    const frame = this.stack.at(-1);
    if (!frame) this.root = value;
    else if (Array.isArray(frame.target)) frame.target.push(value);
    else setMember(frame.target, frame.key, value);
  }

  private top(): Frame {
    return this.stack.at(-1) as Frame;
  }

  private blank(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  private word(word: string, value: unknown): void {
    for (let index = 1; index < word.length; index++) {
      this.at++;
      if (this.text[this.at] !== word[index]) {
        this.refuse(`in literal ${word} (expecting ${quoteChar(word.charCodeAt(index))})`);
        return;
      }
    }
    this.at++;
    this.put(value);
  }

  private number(): void {
    const start = this.at;
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else if (!this.digits('in numeric literal')) return;
    if (this.text[this.at] === '.') {
      this.at++;
      if (!this.digits('after decimal point in numeric literal')) return;
    }
    if (/[eE]/.test(this.text[this.at] ?? '')) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? '')) this.at++;
      if (!this.digits('in exponent of numeric literal')) return;
    }
    const source = this.text.slice(start, this.at);
    const value = Number(source);
    const frame = this.stack.at(-1);
    if (frame && (!Number.isSafeInteger(value) || /[.eE]/.test(source))) frame.numbers.set(frame.key, source);
    this.put(value);
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

  private string(): string {
    const start = this.at++;
    let escaped = false;
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        escaped = true;
        if (!this.escape()) return '';
      } else if (!(code >= 0x20)) {
        this.refuse('in string literal');
        return '';
      } else {
        this.at++;
      }
    }
    const source = this.text.slice(start, ++this.at);
    return wellFormed(escaped ? (JSON.parse(source) as string) : source.slice(1, -1));
  }

  private escape(): boolean {
    this.at++;
    const char = this.text[this.at];
    if (char === undefined || !'"\\/bfnrtu'.includes(char)) {
      this.refuse('in string escape code');
      return false;
    }
    this.at++;
    if (char !== 'u') return true;
    for (let digit = 0; digit < 4; digit++, this.at++) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) {
        this.refuse('in \\u hexadecimal character escape');
        return false;
      }
    }
    return true;
  }

  /** The first failure counts. Go shows the byte, not the character. */
  private refuse(context: string): void {
    if (this.error !== undefined) return;
    const point = this.text.codePointAt(this.at);
    if (point === undefined) {
      this.error = END;
      return;
    }
    const byte = point < 0x80 ? point : (new TextEncoder().encode(String.fromCodePoint(point))[0] as number);
    this.error = `invalid character ${quoteChar(byte)} ${context}`;
  }
}

function quoteChar(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(code)).slice(1, -1)}'`;
}
