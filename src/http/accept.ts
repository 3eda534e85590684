/** One clause of an Accept header. Type names keep their case; comparisons have to ignore it where needed. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  /** Relative weight; 1 when absent, 0 when unreadable. A clause of weight 0 is kept, as the last choice. */
  readonly q: number;
  /** The other parameters, names and values trimmed. */
  readonly params: ReadonlyMap<string, string>;
}

/** Longer headers, and those with more clauses, accept nothing: no client sends them, and reading them takes long. */
const MAX_LENGTH = 8_192;
const MAX_CLAUSES = 128;

function isReadable(header: string): boolean {
  if (header.length > MAX_LENGTH) return false;
  let clauses = 1;
  for (let at = header.indexOf(','); at !== -1; at = header.indexOf(',', at + 1)) clauses++;
  return clauses <= MAX_CLAUSES;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The clauses in order of preference (weight, then how exact the type is, then position). Lenient as kube-apiserver is:
 * skips clauses without a slash and malformed parameters. None for more than 8,192 characters or 128 clauses.
 */
export function parseAccept(header: string): AcceptClause[] {
  if (!isReadable(header)) return [];
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const clause = parseClause(part.trim());
    if (clause) clauses.push(clause);
  }
  return clauses.sort(byPreference);
}

function parseClause(part: string): AcceptClause | undefined {
  const [range = '', ...rest] = part.split(';');
  const names = range.split('/');
  const type = (names[0] ?? '').trim();
  if (names.length > 2 || type === '' || ((names[1] ?? '') === '' && type !== '*')) return undefined;
  const subtype = (names[1] ?? '').trim() || '*';
  let q = 1;
  const params = new Map<string, string>();
  for (const text of rest) {
    const [name = '', value = '', ...more] = text.split('=');
    if (value === '' || more.length > 0) continue;
    if (name.trim() === 'q') q = NUMBER.test(value) ? Number(value) : 0;
    else params.set(name.trim(), value.trim());
  }
  return { type, subtype, q, params };
}

const exactness = ({ type, subtype }: AcceptClause): number => (type === '*' ? 0 : subtype === '*' ? 1 : 2);

function byPreference(a: AcceptClause, b: AcceptClause): number {
  return b.q - a.q || exactness(b) - exactness(a);
}

/** True when the clause covers a media type: the same, `type/*`, or `*` for both. Parameters do not matter. */
export function clauseCovers(clause: AcceptClause, mediaType: string): boolean {
  if (clause.subtype === '*') return clause.type === '*' || mediaType.startsWith(`${clause.type}/`);
  return mediaType === `${clause.type}/${clause.subtype}`;
}

/**
 * A router's simpler check: the header names one of the types exactly, or `*` as both type and subtype. Case matters,
 * `type/*` does not count; an empty header accepts everything, one beyond {@link parseAccept}'s limits nothing.
 */
export function acceptsExactly(header: string | undefined, mediaTypes: readonly string[]): boolean {
  if (!header) return true;
  if (!isReadable(header)) return false;
  for (const clause of header.split(',')) {
    const end = clause.indexOf(';');
    const name = (end < 0 ? clause : clause.slice(0, end)).trim();
    if (name === '*/*' || mediaTypes.includes(name)) return true;
  }
  return false;
}
