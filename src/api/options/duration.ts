const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** A Go duration such as `1h30m` or `1.5s` in milliseconds, or what Go says is wrong with it. */
export function parseGoDuration(text: string): number | { readonly error: string } {
  const quoted = JSON.stringify(text);
  const match = /^([+-]?)(.*)$/s.exec(text);
  const sign = match?.[1] === '-' ? -1 : 1;
  let rest = match?.[2] ?? '';
  if (rest === '0') return 0;
  if (rest === '') return { error: `time: invalid duration ${quoted}` };
  let total = 0;
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return { error: `time: invalid duration ${quoted}` };
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? '';
    if (unit === '') return { error: `time: missing unit in duration ${quoted}` };
    const factor = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit] : undefined;
    if (factor === undefined) return { error: `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}` };
    total += Number(number) * factor;
    rest = rest.slice(unit.length);
  }
  return sign * total;
}
