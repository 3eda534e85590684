import { MAX_MEMBERS, membersWithin } from '../../json/member-count.js';
import { tooLarge } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';

/**
 * The operations of a JSON Patch (10,000 at most, as in Kubernetes) may have this many fields together. It is also the
 * largest `maxBodyFields`, the option for other bodies.
 */
export const MAX_PATCH_MEMBERS = 100_000;

/** 413 for a body or an object with too many fields and items. */
export function tooManyMembers(what: string, max: number): StatusFailure {
  return tooLarge(`${what} has more than ${max} fields and list items`);
}

/**
 * Refuses an event that a change has made too large. Members are not counted if the JSON is too short for that many.
 *
 * @param length of its JSON
 * @param max members it may have
 * @throws StatusFailure 413
 */
export function requireStorable(event: object, length: number, max: number): void {
  if (length < SHORTEST_MEMBER * max || membersWithin(event, max)) return;
  throw tooManyMembers('the changed object', max);
}

/** The characters of the shortest member: `"a",` in a list. */
const SHORTEST_MEMBER = 4;

/** Limits of a request body besides its bytes. */
export interface BodyLimits {
  /** Fields and list items, at all levels. A JSON Patch may have more, see `MAX_PATCH_MEMBERS`. */
  readonly members: number;
  /**
   * Fields and list items of a stored event; derived from `members`. Managed fields about double what was sent, and
   * changes add what their bodies may have.
   */
  readonly storedMembers: number;
  /** The length of a text in YAML, in UTF-16 units. */
  readonly yamlCharacters: number;
}

/** YAML costs a hundred times as much as JSON: the library reads each character of a long scalar several times. */
const MAX_YAML_CHARACTERS = 131_072;

/** Limits with defaults for omitted ones. */
export function createBodyLimits(
  members: number = MAX_MEMBERS,
  yamlCharacters: number = MAX_YAML_CHARACTERS,
): BodyLimits {
  return Object.freeze({ members, storedMembers: 2 * members + 100, yamlCharacters });
}
