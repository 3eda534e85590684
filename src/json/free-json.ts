/** Free JSON (`fieldsV1`) may not be deeper: what works on it later is recursive. */
export const MAX_FREE_DEPTH = 100;

/** Whether objects and arrays go no deeper than so many levels. */
export function depthWithin(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (left === 0) return false;
  const members = value as Record<string, unknown>;
  for (const key in members) if (!depthWithin(members[key], left - 1)) return false;
  return true;
}
