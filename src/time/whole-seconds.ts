/** Microseconds since the epoch as an RFC 3339 time in whole seconds. */
export type WholeSeconds = (micros: number) => string;

/** Caches the last second: a create formats it twice, for 0.6 µs each. */
export function createWholeSeconds(): WholeSeconds {
  let second = NaN;
  let text = '';
  return (micros) => {
    const asked = Math.floor(micros / 1_000_000);
    if (asked !== second) {
      text = `${new Date(asked * 1000).toISOString().slice(0, 19)}Z`;
      second = asked;
    }
    return text;
  };
}
