/**
 * What the Retry-After header asks for, in milliseconds (RFC 9110, section 10.2.3): seconds or a date, which is compared with the
 * Date header of the same answer, else with `nowMs`. Undefined where it is absent or says something else.
 */
export function retryAfterMs(value: string | undefined, date: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
  const until = httpDate(text);
  if (until === undefined) return undefined;
  return Math.max(0, until - (httpDate(date) ?? nowMs));
}

/** A date of a header in milliseconds since the epoch. */
export function httpDate(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) {
    return undefined;
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
