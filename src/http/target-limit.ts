import { type ApiResponse, textResponse } from './response.js';

/** The longest request target that is read, in characters: as much as a server with usual limits takes of all headers. */
export const MAX_TARGET_LENGTH = 65_536;
/** The most parameters of a query. */
export const MAX_QUERY_PAIRS = 1_024;

/**
 * True for a target that is not read: who has to be asked nothing first could keep the event loop busy with it, where a
 * service lets its server take longer ones.
 */
export function isTargetTooLarge(target: string): boolean {
  if (target.length <= MAX_QUERY_PAIRS) return false;
  if (target.length > MAX_TARGET_LENGTH) return true;
  let pairs = 1;
  for (let at = target.indexOf('&'); at !== -1; at = target.indexOf('&', at + 1)) pairs++;
  return pairs > MAX_QUERY_PAIRS;
}

/** The answer to such a target: what Go's server says of headers that are too large, of which it is one. */
export const TARGET_TOO_LARGE: ApiResponse = Object.freeze(textResponse(431, '431 Request Header Fields Too Large'));

/** So much of a path is looked at to see whose a target is that is not read. */
const BEGINNING = 4_096;

/** The part of a path that is decoded: all of it, but for a target that is not read. */
export function readablePart(path: string): string {
  return path.length > MAX_TARGET_LENGTH ? path.slice(0, BEGINNING) : path;
}
