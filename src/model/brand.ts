/** Errors are recognised by a symbol, because a process may contain two copies of the package. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && brand in value;
  } catch {
    return false;
  }
}
