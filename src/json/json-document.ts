/** The content of a body. What `JSON.parse` loses is found by its object, and absent if there is nothing to record. */
export interface JsonDocument {
  readonly value: unknown;
  /** Paths of duplicate keys, in order: `metadata.labels.a`, `[0].op`. */
  readonly duplicates: readonly string[];
  /** The keys of an object with duplicates, in the order of the text, each as often as it occurs. */
  readonly repeats?: WeakMap<object, readonly string[]>;
  /** The notation of numbers with a fraction, an exponent or many digits, by object and key. */
  readonly numbers?: WeakMap<object, ReadonlyMap<string, string>>;
}

export type JsonResult = { readonly document: JsonDocument } | { readonly error: string };

/** Sets a property under any name, `__proto__` too, as plain data. */
export function setMember(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
