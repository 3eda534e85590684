/** The fields and list items that an object in a body may have, at all levels, by default (decision 43). */
export const MAX_MEMBERS = 4_000;

/** A text counts as one, and as one more for each of this many characters. */
export const LONG_TEXT = 256;
/** The most that one text counts for, so that an event with a far too long text gets the error for that field. */
const MAX_TEXT_COUNT = 1_024;

/** How many fields and items a text counts for, beside itself, because tracking long texts is slow (decision 43). */
export function membersOfText(length: number): number {
  return Math.min(Math.floor(length / LONG_TEXT), MAX_TEXT_COUNT);
}

/** Whether a value has at most `max` fields and items at all levels. Recursive: for values of bounded depth. */
export function membersWithin(value: unknown, max: number): boolean {
  return left(value, max) >= 0;
}

function left(value: unknown, max: number): number {
  if (typeof value === 'string') return max - membersOfText(value.length);
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
    rest -= membersOfText(key.length);
    if (rest < 0) return rest;
    rest = left((value as Record<string, unknown>)[key], rest);
  }
  return rest;
}
