import { byCodePoint } from '../status/code-point-order.js';
import { badRequest } from '../status/failures.js';
import type { Selectable, Selector } from './contract.js';

/** A field selector, which can also tell what it fixes a field to. */
export interface FieldSelector extends Selector {
  /** The value the field must have, if the selector names exactly one by `=`; the first one of several. */
  exact(field: string): string | undefined;
}

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/**
 * Compiles a `fieldSelector`: `type=Warning,regarding.name!=web-0`. Every term must hold; an absent field counts as `""`.
 * In values `\`, `,` and `=` are written after a backslash. Linear in the length of the text.
 *
 * @param supported the labels that may be used; as a map, to the field each one reads
 * @throws StatusError 400 in Kubernetes' words
 */
export function parseFieldSelector(
  text: string,
  supported: ReadonlySet<string> | ReadonlyMap<string, string>,
): FieldSelector {
  const written = splitTerms(text)
    .filter((part) => part !== '')
    .sort(byCodePoint)
    .map((part) => parseTerm(part, text));
  const terms = written.map((term): Term => {
    if (!supported.has(term.field)) throw badRequest(`field label not supported: ${term.field}`);
    const field = 'get' in supported ? supported.get(term.field) : term.field;
    return { ...term, field: field ?? term.field };
  });
  const words = [...new Set(terms.map(termText))].sort(byCodePoint);
  return {
    empty: terms.length === 0,
    canonical: terms.length === 0 ? '' : `field:${words.join(',')}`,
    matches: (candidate) => terms.every(({ field, equal, value }) => (fieldOf(candidate, field) === value) === equal),
    equalities: terms.filter(({ equal }) => equal).map(({ field, value }) => ({ field, value })),
    exact: (field) => terms.find((term) => term.equal && term.field === field)?.value,
  };
}

function fieldOf(candidate: Selectable, name: string): string {
  if (candidate.field !== undefined) return candidate.field(name);
  const { fields } = candidate;
  return Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') {
      at++;
    } else if (character === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(part: string, whole: string): Term {
  const [sign] = /!=|==|=/.exec(part) ?? [];
  if (sign === undefined) throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
  const at = part.indexOf(sign);
  return { field: part.slice(0, at), equal: sign !== '!=', value: unescaped(part.slice(at + sign.length)) };
}

function unescaped(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let escaping = false;
  for (const character of text) {
    const special = character === '\\' || character === ',' || character === '=';
    if (escaping) {
      if (!special) throw badRequest(`invalid field selector: invalid escape sequence: \\${character}`);
      value += character;
      escaping = false;
    } else if (character === '\\') {
      escaping = true;
    } else if (special) {
      throw badRequest(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    } else {
      value += character;
    }
  }
  if (escaping) throw badRequest('invalid field selector: invalid escape sequence: \\');
  return value;
}

function termText({ field, equal, value }: Term): string {
  return `${field}${equal ? '=' : '!='}${value.replace(/[\\,=]/g, '\\$&')}`;
}
