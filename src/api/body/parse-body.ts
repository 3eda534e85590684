import type { JsonResult } from '../../json/json-document.js';
import { MAX_MEMBERS } from '../../json/member-count.js';
import { documentOf, MAX_DEPTH, readPlain, type PlainJson } from '../../json/parse-json.js';
import { scanJson } from '../../json/scan-json.js';
import { tooManyMembers } from './member-limit.js';
import { goQuote, shorten } from '../../json/go-print.js';

/** Reads the JSON of a body. @throws StatusFailure 413 for more than `maxMembers` fields and items */
export function parseJson(text: string, maxMembers: number = MAX_MEMBERS): JsonResult {
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
