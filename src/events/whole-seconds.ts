/** Microseconds since the epoch as an RFC 3339 time in whole seconds. */
export function wholeSeconds(micros: number): string {
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19)}Z`;
}
