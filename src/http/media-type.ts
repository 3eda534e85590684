/** In characters. No client sends a longer header. */
const MAX_LENGTH = 1_024;

const TYPE = /^[\t-\r ]*([\w!#$%&'*+.^`{|}~-]+\/[\w!#$%&'*+.^`{|}~-]+)[\t-\r ]*(?=;|$)/;
/** The name, and the value: a token or a quoted string. */
const PARAMETER =
  /^[\t-\r ]*;[\t-\r ]*([\w!#$%&'*+.^`{|}~-]+)[\t-\r ]*=[\t-\r ]*(?:([\w!#$%&'*+.^`{|}~-]+)|"((?:[^"\\\r\n]|\\[^\r\n])*)")/;
const END = /^[\t-\r ]*(?:;[\t-\r ]*)?$/;

/**
 * The media type of a `Content-Type`, in lower case. `undefined` where the header is malformed, as Go's
 * `mime.ParseMediaType` decides: an incomplete parameter, an open quote, a name repeated with another value, anything
 * after a value, more than one `;` at the end. Also for more than 1,024 characters.
 */
export function parseMediaType(header: string): string | undefined {
  if (header.length > MAX_LENGTH) return undefined;
  const start = TYPE.exec(header);
  if (!start) return undefined;
  let rest = header.slice(start[0].length);
  const values = new Map<string, string>();
  for (let found = PARAMETER.exec(rest); found; found = PARAMETER.exec(rest)) {
    const [whole, name = '', token = '', value = token] = found;
    const key = name.toLowerCase();
    if ((values.get(key) ?? value) !== value) return undefined;
    values.set(key, value);
    rest = rest.slice(whole.length);
  }
  return END.test(rest) ? start[1]?.toLowerCase() : undefined;
}
