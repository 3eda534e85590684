/** The text of a field. A server may send a value of another type than the API has: what is no text or number is left out. */
export function fieldText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
