/**
 * An object in a body may have this many fields and list items, at all levels, unless an option says otherwise.
 * Processing (parsing, merging, tracking, validating, encoding) costs 5 to 10 µs for each of them without yielding;
 * Kubernetes limits bytes only. An ordinary event has 60, and 3 more with every label.
 */
export const MAX_MEMBERS = 4_000;

/** A text counts as one, and as one more for each of this many characters. */
export const LONG_TEXT = 256;
/**
 * The most that one text counts for, so that an event with one text that is far too long gets the error for that field.
 */
const MAX_TEXT_COUNT = 1_024;

/**
 * How many fields and items a text counts for, beside itself. Names and set items are written, compared and sorted to
 * track managed fields; thousands of long ones cost as much as ten times as many short ones, and V8 hashes texts of
 * more than 16,383 characters by their length alone, so that sets and maps compare each with all others of that length.
 * Valid names have 317 characters at most, valid annotations 256 KiB in all.
 */
export function membersOfText(length: number): number {
  return Math.min(Math.floor(length / LONG_TEXT), MAX_TEXT_COUNT);
}

/** Whether a value has at most `max` fields and items at all levels. Recursive: for values of bounded depth. */
export function membersWithin(value: unknown, max: number): boolean {
  return left(value, max) >= 0;
}

function left(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length >= LONG_TEXT ? max - membersOfText(value.length) : max;
  if (typeof value !== 'object' || value === null) return max;
  let rest = max;
  if (Array.isArray(value)) {
    rest -= value.length;
    for (const item of value as unknown[]) {
      if (rest < 0) return rest;
      rest = left(item, rest);
    }
    return rest;
  }
  const keys = Object.keys(value);
  rest -= keys.length;
  for (const key of keys) {
    if (key.length >= LONG_TEXT) rest -= membersOfText(key.length);
    if (rest < 0) return rest;
    rest = left((value as Record<string, unknown>)[key], rest);
  }
  return rest;
}
