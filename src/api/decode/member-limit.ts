import { tooLarge } from '../status/failures.js';
import type { StatusError } from '../status/status-error.js';

/**
 * An object in a body may have this many fields and list items, at all levels, unless an option says otherwise. Whatever is done with an object (parsing,
 * merging, tracking, validating, encoding) costs 5 to 10 µs for each of them, in one stretch; Kubernetes bounds
 * bytes alone. An ordinary event has 60, and 3 more with every label.
 */
export const MAX_MEMBERS = 4_000;

/**
 * The same for a stored event. Its managed fields about double what was sent, and changes add to it what their bodies may
 * have; beyond this a change is refused.
 */
export const MAX_STORED_MEMBERS: number = storedMembersFor(MAX_MEMBERS);

/** {@link MAX_STORED_MEMBERS} where bodies may have another number of members. */
export function storedMembersFor(members: number): number {
  return 2 * members + 100;
}

/**
 * The operations of a JSON Patch (10,000 at most, which Kubernetes bounds) may have this many fields together. No option
 * lets another body have more.
 */
export const MAX_PATCH_MEMBERS = 100_000;

/** A text is one of the fields and items itself, and one more for each of so many characters. */
export const LONG_TEXT = 256;
/** One text counts for so many at most: a long note costs no more than it takes to copy it. */
const MOST_OF_TEXT = 16;

/**
 * How many fields and items a text counts for, beside itself. Names and items of sets are written, compared and sorted by whoever
 * tracks who manages them; thousands of long ones cost as much as ten times as many short ones. Those that break no rule have 317
 * characters at most.
 */
export function membersOfText(length: number): number {
  return Math.min(Math.floor(length / LONG_TEXT), MOST_OF_TEXT);
}

/** 413 for a body, or an object, with more than so many fields and items. */
export function tooManyMembers(what: string, most: number): StatusError {
  return tooLarge(`${what} has more than ${most} fields and list items`);
}

/** Whether a value has at most so many fields and items at all levels. Recursive: for values of bounded depth. */
export function membersWithin(value: unknown, most: number): boolean {
  return left(value, most) >= 0;
}

/**
 * Refuses an event that a change has made larger than it may be. What is shorter than so many members can be is not looked
 * at.
 *
 * @param length of its JSON
 * @param most members it may have
 * @throws StatusError 413
 */
export function requireStorable(event: object, length: number, most: number = MAX_STORED_MEMBERS): void {
  if (length < SHORTEST_MEMBER * most || membersWithin(event, most)) return;
  throw tooManyMembers('the changed object', most);
}

/** `"a",` in a list. */
const SHORTEST_MEMBER = 4;

function left(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length >= LONG_TEXT ? most - membersOfText(value.length) : most;
  if (typeof value !== 'object' || value === null) return most;
  let rest = most;
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
