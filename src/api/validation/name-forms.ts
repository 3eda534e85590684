/* The forms of names, without the messages of `names.ts`, for clients, which are several times smaller so. */

const HYPHEN = 0x2d;
const DOT = 0x2e;
const UNDERSCORE = 0x5f;

/** Whether a text of at most 63 bytes is a DNS-1123 label. */
export function isLabel(text: string): boolean {
  return isSubdomain(text) && !text.includes('.');
}

/** Whether a text is a name with capitals, `-`, `_` and `.` inside. */
function isNamePart(text: string): boolean {
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    inside = isLowerOrDigit(code) || (code >= 0x41 && code <= 0x5a);
    if (!inside && (at === 0 || (code !== HYPHEN && code !== DOT && code !== UNDERSCORE))) return false;
  }
  return inside;
}

/** Checked in a loop, because a create checks a dozen short texts, and two regular expressions take 0.1 µs each. */
export function isSubdomain(text: string): boolean {
  let before = DOT;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT ? before === DOT || before === HYPHEN : code === HYPHEN ? before === DOT : !isLowerOrDigit(code)) {
      return false;
    }
    before = code;
  }
  return before !== DOT && before !== HYPHEN;
}

/** Whether `events.` and the text are an API group, which has at most 253 characters. */
export function isApiDomain(text: string): boolean {
  return text.length <= 246 && isSubdomain(text);
}

const isLowerOrDigit = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/** Whether `qualifiedNameErrors` finds nothing, without making a list. */
export function isQualifiedName(value: string): boolean {
  const slash = value.indexOf('/');
  const name = slash === -1 ? value : value.slice(slash + 1);
  // Accepted text is ASCII, so its length equals its bytes.
  if (name.length > 63 || !isNamePart(name)) return false;
  return slash === -1 || (slash <= 253 && isSubdomain(value.slice(0, slash)));
}

/** Whether `labelValueErrors` finds nothing. */
export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && isNamePart(value));
}
