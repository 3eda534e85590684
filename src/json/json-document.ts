/**
 * What was read from a body, and what `JSON.parse` forgets about it. Values are plain; the rest is found by the object it
 * belongs to, and absent where nothing was worth noting.
 */
export interface JsonDocument {
  readonly value: unknown;
  /** Paths of the keys that came more than once in their object, in order: `metadata.labels.a`, `[0].op`. */
  readonly duplicates: readonly string[];
  /** The keys of an object that has duplicates, in the order of the text, each as often as it came. */
  readonly repeats?: WeakMap<object, readonly string[]>;
  /** Numbers with a fraction, an exponent or many digits as they were written, by object and key. */
  readonly numbers?: WeakMap<object, ReadonlyMap<string, string>>;
}

/** A document, or why the text is none, in the words of Go's `encoding/json`. */
export type JsonResult = { readonly document: JsonDocument } | { readonly error: string };

/** Sets a property under any name, `__proto__` too, as plain data. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** ES2024, which Node has had since version 20: a regular expression takes fifteen times as long. */
interface MaybeWellFormed {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

/** Text Go can hold: half of a surrogate pair becomes U+FFFD. */
export function wellFormed(text: string): string {
  const asked = text as string & MaybeWellFormed;
  return asked.isWellFormed() ? text : asked.toWellFormed();
}
