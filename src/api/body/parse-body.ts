import type { JsonResult } from '../../json/json-document.js';
import { MAX_MEMBERS, membersWithin } from '../../json/member-count.js';
import { documentOf, MAX_DEPTH, readPlain, type PlainJson } from '../../json/parse-json.js';
import { scanJson } from '../../json/scan-json.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { tooLarge } from '../status/failures.js';
import type { StatusFailure } from '../status/status-failure.js';

/** Reads the JSON of a body. @throws StatusFailure 413 for more than `maxMembers` fields and items */
export function parseJson(text: string, maxMembers: number): JsonResult {
  return documentOf(text, parsePlain(text, maxMembers));
}

export function parsePlain(text: string, maxMembers: number): PlainJson | undefined {
  const scan = scanJson(text, maxMembers);
  // Excessive nesting is reported before any other error.
  if (scan.members > maxMembers && scan.depth <= MAX_DEPTH) throw tooManyMembers('the body', maxMembers);
  return readPlain(text, scan);
}

/** How unknown and duplicate fields are treated: ignored, with a warning, or as an error. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The most strict errors reported for one object or patch, as in Kubernetes. */
export const MAX_STRICT_ERRORS = 100;

/** The error for an unknown or duplicate field. `path` is truncated, because its keys come from the client. */
export function strictError(what: 'unknown' | 'duplicate', path: string): string {
  return `${what} field ${goQuote(shorten(path))}`;
}

export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

/** The duplicate keys of a YAML text as one error, like Go's YAML library. */
export function yamlStrictText(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
}

/** The most fields and items in all operations (10,000 at most) of a JSON Patch. Also the largest `maxBodyFields`. */
export const MAX_PATCH_MEMBERS = 100_000;

export function tooManyMembers(what: string, max: number): StatusFailure {
  return tooLarge(`${what} has more than ${max} fields and list items`);
}

/** Refuses an event that has become too large. @param length of its JSON, so that short ones are not counted */
export function requireStorable(event: object, length: number, max: number): void {
  if (length < SHORTEST_MEMBER * max || membersWithin(event, max)) return;
  throw tooManyMembers('the changed object', max);
}

/** The characters of the shortest member: `"a",` in a list. */
const SHORTEST_MEMBER = 4;

export interface BodyLimits {
  /** Fields and list items, at all levels. A JSON Patch may have more, see `MAX_PATCH_MEMBERS`. */
  readonly members: number;
  /** The limit for a stored event: managed fields about double what was sent, and changes may add to it. */
  readonly storedMembers: number;
  /** The length of a text in YAML, in UTF-16 units. */
  readonly yamlCharacters: number;
}

/** YAML costs a hundred times as much as JSON: the library reads each character of a long scalar several times. */
const MAX_YAML_CHARACTERS = 131_072;

export function createBodyLimits(
  members: number = MAX_MEMBERS,
  yamlCharacters: number = MAX_YAML_CHARACTERS,
): BodyLimits {
  return Object.freeze({ members, storedMembers: 2 * members + 100, yamlCharacters });
}
