/** No server sends more; the rest is left unread. */
const MAX_WARNINGS = 100;

/** `299 agent "text"`, with an optional date behind it, from where the last one ended. */
const WARNING = /\s*\d{3} [^\s",]+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)/y;

/** The texts of Warning headers (RFC 7234, section 5.5), as kube-apiserver sends them: `299 - "unknown field \"spec\""`. */
export function warningTexts(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return [];
  const texts: string[] = [];
  for (const line of typeof header === 'string' ? [header] : header) {
    WARNING.lastIndex = 0;
    for (let match = WARNING.exec(line); match !== null; match = WARNING.exec(line)) {
      texts.push((match[1] as string).replace(/\\(.)/g, '$1'));
      if (texts.length === MAX_WARNINGS || WARNING.lastIndex >= line.length) break;
    }
    if (texts.length === MAX_WARNINGS) break;
  }
  return texts;
}
