/**
 * True for an object with a brand: errors are recognised by a symbol, because one process may contain two copies of the
 * package. The value may be anything that was thrown, such as a Proxy whose traps throw.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && brand in value;
  } catch {
    return false;
  }
}
