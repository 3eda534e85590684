/**
 * Throws one TypeError that names every fault of some options, so that they can be corrected together.
 *
 * @param where the function whose options these are, for example `staticTokens`
 * @param faults one sentence each; nothing is thrown when there are none
 */
export function throwFaults(where: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new TypeError(`${where}: ${faults.join('; ')}`);
}

/** The faults of a value that must be a list of non-empty strings. */
export function stringListFaults(name: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [`${name} must be a list of strings`];
  const list: readonly unknown[] = value;
  return list.every((entry) => typeof entry === 'string' && entry !== '')
    ? []
    : [`${name} must hold non-empty strings`];
}

/** A value that should have been another, in a few words that repeat nothing of its content. */
export function described(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  return `a value of type ${Array.isArray(value) ? 'array' : typeof value}`;
}
