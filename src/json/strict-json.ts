import { setMember, type JsonResult } from './json-document.js';
import { JsonLexer } from './json-lexer.js';

/** An object or array that is being read. `key` is the next member. */
interface Frame {
  readonly target: Record<string, unknown> | unknown[];
  readonly keys: string[];
  readonly seen: Set<string> | undefined;
  readonly numbers: Map<string, string>;
  key: string;
  repeated: boolean;
}

/** Paths of duplicates are collected up to this many characters. */
const MAX_PATHS_LENGTH = 65_536;

/**
 * Reads JSON character by character, without recursion, with the errors of Go's `encoding/json`, and notes duplicate keys
 * and the notation of unusual numbers. Several times slower than `JSON.parse`, so only for texts that need it.
 */
export function parseStrictJson(text: string, maxDepth: number): JsonResult {
  return new JsonReader(text, maxDepth).read();
}

class JsonReader {
  private readonly lexer: JsonLexer;
  private readonly maxDepth: number;
  private pathsLength = 0;
  private readonly stack: Frame[] = [];
  private readonly duplicates: string[] = [];
  private readonly repeats = new WeakMap<object, readonly string[]>();
  private readonly numbers = new WeakMap<object, ReadonlyMap<string, string>>();
  private root: unknown;

  constructor(text: string, maxDepth: number) {
    this.lexer = new JsonLexer(text);
    this.maxDepth = maxDepth;
  }

  read(): JsonResult {
    this.lexer.blank();
    let open = this.value();
    while (this.lexer.error === undefined && this.stack.length > 0) open = open ? this.first() : this.next();
    this.lexer.blank();
    if (this.lexer.error === undefined && this.lexer.peek() !== undefined) this.lexer.refuse('after top-level value');
    if (this.lexer.error !== undefined) return { error: this.lexer.error };
    const { root: value, duplicates, repeats, numbers } = this;
    return { document: { value, duplicates, repeats, numbers } };
  }

  /** After `[` or `{`: the first item or the end. Returns whether another container was opened. */
  private first(): boolean {
    const frame = this.top();
    this.lexer.blank();
    if (this.lexer.peek() === (Array.isArray(frame.target) ? ']' : '}')) return this.close();
    return this.item(frame);
  }

  /** After an item: a comma and the next one, or the end. */
  private next(): boolean {
    const frame = this.top();
    const list = Array.isArray(frame.target);
    this.lexer.blank();
    const char = this.lexer.peek();
    if (char === (list ? ']' : '}')) return this.close();
    if (char !== ',') {
      this.lexer.refuse(list ? 'after array element' : 'after object key:value pair');
      return false;
    }
    this.lexer.at++;
    this.lexer.blank();
    return this.item(frame);
  }

  private item(frame: Frame): boolean {
    if (!Array.isArray(frame.target)) {
      if (this.lexer.peek() !== '"') {
        this.lexer.refuse('looking for beginning of object key string');
        return false;
      }
      this.enter(frame, this.lexer.string());
      this.lexer.blank();
      if (this.lexer.error === undefined && this.lexer.peek() !== ':') this.lexer.refuse('after object key');
      if (this.lexer.error !== undefined) return false;
      this.lexer.at++;
      this.lexer.blank();
    }
    return this.value();
  }

  private enter(frame: Frame, key: string): void {
    if (this.lexer.error !== undefined) return;
    frame.key = key;
    frame.keys.push(key);
    if (frame.seen?.has(key)) {
      frame.repeated = true;
      this.tellDuplicate();
    } else {
      frame.seen?.add(key);
    }
    frame.numbers.delete(key);
  }

  private tellDuplicate(): void {
    if (this.pathsLength >= MAX_PATHS_LENGTH) return;
    const path = this.path();
    this.pathsLength += path.length;
    this.duplicates.push(path);
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
    const char = this.lexer.peek();
    switch (char) {
      case '{':
      case '[':
        if (this.stack.length >= this.maxDepth) this.lexer.refuse('exceeded max depth');
        else this.open(char === '[');
        return this.lexer.error === undefined;
      case '"':
        this.put(this.lexer.string());
        return false;
      case 't':
        this.lexer.word('true');
        this.put(true);
        return false;
      case 'f':
        this.lexer.word('false');
        this.put(false);
        return false;
      case 'n':
        this.lexer.word('null');
        this.put(null);
        return false;
      default:
        if (char !== undefined && /[-0-9]/.test(char)) this.number();
        else this.lexer.refuse('looking for beginning of value');
        return false;
    }
  }

  private open(list: boolean): void {
    this.lexer.at++;
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
    this.lexer.at++;
    const frame = this.stack.pop() as Frame;
    if (frame.repeated) this.repeats.set(frame.target, frame.keys);
    if (frame.numbers.size > 0) this.numbers.set(frame.target, frame.numbers);
    this.put(frame.target);
    return false;
  }

  private number(): void {
    const source = this.lexer.number();
    const value = Number(source);
    const frame = this.stack.at(-1);
    if (frame && (!Number.isSafeInteger(value) || /[.eE]/.test(source))) frame.numbers.set(frame.key, source);
    this.put(value);
  }

  private put(value: unknown): void {
    if (this.lexer.error !== undefined) return;
    const frame = this.stack.at(-1);
    if (!frame) this.root = value;
    else if (Array.isArray(frame.target)) frame.target.push(value);
    else setMember(frame.target, frame.key, value);
  }

  private top(): Frame {
    return this.stack.at(-1) as Frame;
  }
}
