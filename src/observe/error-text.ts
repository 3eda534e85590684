/** How many levels of causes, and how many errors of one `AggregateError`, are included. */
const MAX_LEVELS = 4;
const MAX_ERRORS = 4;

/** The text of a thrown value and its causes: `fetch failed: connect ECONNREFUSED 127.0.0.1:5432`. Never throws. */
export function errorText(error: unknown): string {
  try {
    return textOf(error, MAX_LEVELS) || 'failed without a reason';
  } catch {
    return 'failed with something unreadable';
  }
}

/** True for an Error of any realm. Never throws, for a revoked proxy either. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}

function textOf(thrown: unknown, levels: number): string {
  const error = thrown ?? '';
  if (typeof error !== 'object' || !('message' in error)) return String(error);
  const { message, name, code, cause, errors } = error as Readonly<Record<string, unknown>>;
  // Messages of OpenSSL end with a line break.
  let text = typeof message === 'string' ? message.trimEnd() : '';
  const add = (more: string): void => {
    // A message may repeat that of its cause, which has its code in addition.
    const said = more.replace(/ \(\w+\)$/, '');
    if (!text.includes(more)) text += text.includes(said) ? more.slice(said.length) : `${text && ': '}${more}`;
  };
  if (levels > 0) {
    if (Array.isArray(errors)) {
      const texts = errors.slice(0, MAX_ERRORS).map((each) => textOf(each, levels - 1));
      add([...new Set(texts)].filter((each) => each !== '').join('; '));
    }
    add(textOf(cause, levels - 1));
  }
  if (text === '' && typeof name === 'string') text = name;
  // For example ECONNREFUSED and 28P01. The lower-case codes of a StoreError are omitted: its messages spell them out.
  if (typeof code === 'string' && /[A-Z\d]/.test(code) && !text.includes(code)) text += ` (${code})`;
  return text;
}
