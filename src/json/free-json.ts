/** The depth limit of free JSON (`fieldsV1`), because later processing is recursive. */
export const MAX_FREE_DEPTH = 100;

/** Whether objects and arrays are nested no deeper than a number of levels. */
export function depthWithin(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (left === 0) return false;
  const members = value as Record<string, unknown>;
  for (const key in members) if (!depthWithin(members[key], left - 1)) return false;
  return true;
}
