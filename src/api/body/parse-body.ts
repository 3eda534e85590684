import type { JsonResult } from '../../json/json-document.js';
import { MAX_MEMBERS } from '../../json/member-count.js';
import { MAX_DEPTH, parseScanned, readPlain, type PlainJson } from '../../json/parse-json.js';
import { scanJson, type JsonScan } from '../../json/scan-json.js';
import { tooManyMembers } from './member-limit.js';

/**
 * Reads the JSON of a body, see {@link parseScanned}.
 *
 * @param mostMembers fields and items the text may have
 * @throws StatusError 413 for a text with more
 */
export function parseJson(text: string, mostMembers: number = MAX_MEMBERS): JsonResult {
  return parseScanned(text, scanBody(text, mostMembers));
}

/**
 * The fast path of {@link parseJson}, see {@link readPlain}.
 *
 * @throws StatusError 413 for a text with more than `mostMembers` fields and items
 */
export function parsePlain(text: string, mostMembers: number = MAX_MEMBERS): PlainJson | undefined {
  return readPlain(text, scanBody(text, mostMembers));
}

/** Excessive nesting is reported before any other error. */
function scanBody(text: string, mostMembers: number): JsonScan {
  const scan = scanJson(text, mostMembers);
  if (scan.members > mostMembers && scan.depth <= MAX_DEPTH) throw tooManyMembers('the body', mostMembers);
  return scan;
}
