/**
 * What things take in V8's heap, in bytes: measured on Node 20 with 100,000 of each, and rounded up. What they have in
 * array buffers is counted exactly, where it is allocated.
 */
export const HEAP_COST = {
  /** A key with its newest version, its event, and their places in the indexes. */
  slot: 368,
  /** An entry of the change log. */
  logEntry: 24,
  /** The version, with its event or none, that an entry of the log keeps besides the newest. */
  olderVersion: 160,
  /** A value of an indexed field, and its place in the map. */
  posting: 216,
  /** The index of a namespace. */
  namespace: 1600,
  /** What events share of their fields and labels. */
  fieldSet: 720,
  /** A property of an object with few, and of one with many, which V8 keeps as a table. */
  property: 72,
  tabledProperty: 176,
  sharedPart: 320,
  /** An entry of an ordered index, where it is not counted otherwise. */
  indexEntry: 16,
  /** A list that is remembered, and an event in one. */
  list: 320,
  listed: 24,
} as const;

/** Beyond this V8 takes tables. */
const FEW_PROPERTIES = 32;

/** A text that is not longer is counted without a look at its characters. */
const SHORT = 64;

// eslint-disable-next-line no-control-regex -- V8 keeps these characters in a byte each
const ONE_BYTE = /^[\u0000-\u00ff]*$/;

/** The characters of a text. */
export function textCost(text: string): number {
  return text.length <= SHORT || ONE_BYTE.test(text) ? text.length : text.length * 2;
}

/** Names and values of an object that has its own texts. */
export function textsCost(texts: Readonly<Record<string, string>>): number {
  let cost = 0;
  let count = 0;
  for (const name in texts) {
    cost += textCost(name) + textCost(texts[name] as string);
    count += 1;
  }
  return cost + count * (count > FEW_PROPERTIES ? HEAP_COST.tabledProperty : HEAP_COST.property);
}
