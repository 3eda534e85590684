const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['\u00b5s', 1e-3],
  ['\u03bcs', 1e-3],
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Go keeps durations in 63 bits of nanoseconds: about 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6;

/**
 * Reads a duration as Go's `time.ParseDuration` does (`300ms`, `1.5h`, `1h30m`), in milliseconds.
 *
 * @throws Error with Go's text
 */
export function parseGoDuration(text: string): number {
  const shown = JSON.stringify(text);
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return 0;
  let total = 0;
  do {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw new Error(`time: invalid duration ${shown}`);
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? '';
    if (unit === '') throw new Error(`time: missing unit in duration ${shown}`);
    const factor = UNITS.get(unit);
    if (factor === undefined) throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`);
    total += Number(number) * factor;
    rest = rest.slice(unit.length);
  } while (rest !== '');
  if (total > LONGEST_MS) throw new Error(`time: invalid duration ${shown}`);
  return sign * total;
}
