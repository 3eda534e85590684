/**
 * Errors are recognised by a symbol: one process may contain two copies of the package. `value` may be a hostile Proxy.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && brand in value;
  } catch {
    return false;
  }
}
