/** Sizes in V8's heap in bytes, without array buffers: measured on Node 20 with 100,000 of each, and rounded up. */
export const HEAP_COST = {
  /** A key with its newest version, its event, and their index entries. */
  slot: 304,
  logEntry: 24,
  /** The superseded version, with or without an event, that an entry of the log retains. */
  olderVersion: 120,
  /** A value of an indexed field, and its map entry. */
  valueEntry: 200,
  /** The index of a namespace. */
  namespace: 1600,
  /** Fields and labels that events share. */
  fieldSet: 720,
  /** A property of an object with few properties, and of one with many, which V8 stores as a hash table. */
  property: 72,
  tabledProperty: 176,
  sharedPart: 320,
  /** An entry of an ordered index, where it is not counted otherwise. */
  indexEntry: 16,
  /** A cached list, and an event in one. */
  list: 320,
  listed: 24,
} as const;

/** With more properties V8 uses a hash table. */
const FEW_PROPERTIES = 32;

/** Strings up to this length are assumed to take one byte per character. */
const SHORT = 64;

// eslint-disable-next-line no-control-regex -- V8 keeps these characters in a byte each
const ONE_BYTE = /^[\u0000-\u00ff]*$/;

export function textCost(text: string): number {
  return text.length <= SHORT || ONE_BYTE.test(text) ? text.length : text.length * 2;
}

export function textsCost(texts: Readonly<Record<string, string>>): number {
  let cost = 0;
  let count = 0;
  for (const name in texts) {
    cost += textCost(name) + textCost(texts[name] as string);
    count += 1;
  }
  return cost + count * (count > FEW_PROPERTIES ? HEAP_COST.tabledProperty : HEAP_COST.property);
}
