/**
 * The pause of the Retry-After header, in milliseconds (RFC 9110, section 10.2.3): seconds or a date, which is compared
 * with the Date header of the same response, else with `nowMs`. Undefined where it is absent or has another format.
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

/** More warnings than anyone reads; the rest is not parsed. */
const MAX_WARNINGS = 100;

/** `299 agent "text"`, with an optional date after it, from where the last one ended. */
const WARNING = /\s*\d{3} [^\s",]+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/gy;

/** The texts of Warning headers (RFC 7234, section 5.5), such as `299 - "unknown field \"spec\""`. */
export function warningTexts(headers: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of headers) {
    for (const [, text] of line.matchAll(WARNING)) {
      texts.push((text as string).replace(/\\(.)/g, '$1'));
      if (texts.length === MAX_WARNINGS) return texts;
    }
  }
  return texts;
}
