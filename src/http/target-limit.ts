/** The longest request target that is parsed, in characters: what servers usually accept for all headers together. */
export const MAX_TARGET_LENGTH = 65_536;
/** The most parameters of a query. */
export const MAX_QUERY_PAIRS = 1_024;

/**
 * True for a target that is not parsed. Targets are parsed before authentication: where a service raises the limit of its
 * server, anybody could keep the event loop busy with a long one.
 */
export function isTargetTooLarge(target: string): boolean {
  if (target.length <= MAX_QUERY_PAIRS) return false;
  if (target.length > MAX_TARGET_LENGTH) return true;
  let pairs = 1;
  for (let at = target.indexOf('&'); at !== -1; at = target.indexOf('&', at + 1)) pairs++;
  return pairs > MAX_QUERY_PAIRS;
}

/** How much of a path is decoded to decide which handler answers a target that is too large. */
const PREFIX_LENGTH = 4_096;

/** The part of a path that is decoded: all of it, unless the target is too large. */
export function readablePart(path: string): string {
  return path.length > MAX_TARGET_LENGTH ? path.slice(0, PREFIX_LENGTH) : path;
}
