import { byCodePoint } from '../../json/code-point-order.js';
import { badRequest } from '../status/failures.js';
import { MAX_SELECTOR_TERMS, requireSelectorLength, tooManyTerms, type Selectable, type Selector } from './contract.js';

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
 * Compiles a `fieldSelector`: `type=Warning,regarding.name!=web-0`. Every term must hold; an absent field counts as
 * `""`. In values `\`, `,` and `=` are escaped. `supported` has the field that each label reads.
 *
 * @throws StatusFailure 400 in Kubernetes' words; in our own for too many characters or terms
 */
export function parseFieldSelector(
  text: string,
  supported: ReadonlyMap<string, string>,
  maxTerms: number = MAX_SELECTOR_TERMS,
): FieldSelector {
  if (text === '') return everything;
  requireSelectorLength('fieldSelector', text);
  const parts = splitTerms(text);
  if (parts.length > maxTerms) throw tooManyTerms('fieldSelector', maxTerms);
  const written: Term[] = [];
  for (const part of parts.sort(byCodePoint)) if (part !== '') written.push(parseTerm(part, text));
  return new FieldTerms(
    written.map(({ field: label, equal, value }) => {
      const field = supported.get(label);
      if (field === undefined) throw badRequest(`field label not supported: ${label}`);
      // The string of the map, although the label may equal it: comparing it with a literal compares pointers only.
      return { field, equal, value };
    }),
  );
}

/** A class, because every list makes one: closures take longer. */
class FieldTerms implements FieldSelector {
  readonly empty: boolean;
  readonly equalities: FieldSelector['equalities'];
  readonly onlyEqualities: boolean;
  readonly #refused: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor(terms: readonly Term[]) {
    const equalities: { field: string; value: string }[] = [];
    let refused: Map<string, Set<string>> | undefined;
    for (const { field, equal, value } of terms) {
      if (equal) {
        const same = equalities.filter((known) => known.field === field);
        if (same.length < 2 && same[0]?.value !== value) equalities.push({ field, value });
      } else {
        refused ??= new Map();
        refused.set(field, (refused.get(field) ?? new Set()).add(value));
      }
    }
    this.empty = terms.length === 0;
    this.equalities = equalities;
    this.onlyEqualities = refused === undefined;
    this.#refused = refused;
  }

  matches(candidate: Selectable): boolean {
    for (const { field, value } of this.equalities) if (fieldOf(candidate, field) !== value) return false;
    if (this.#refused !== undefined)
      for (const [field, values] of this.#refused) if (values.has(fieldOf(candidate, field))) return false;
    return true;
  }

  exact(field: string): string | undefined {
    return this.equalities.find((equality) => equality.field === field)?.value;
  }
}

export const everything: FieldSelector = Object.freeze(new FieldTerms([]));

function fieldOf(candidate: Selectable, name: string): string {
  if (candidate.field !== undefined) return candidate.field(name);
  const { fields } = candidate;
  return Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
}

function splitTerms(text: string): string[] {
  if (!text.includes('\\')) return text.split(',');
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
  const sign = part.indexOf('=');
  if (sign < 0) throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`);
  // `!=`, `==` or `=`, whichever comes first.
  const equal = sign === 0 || part.charAt(sign - 1) !== '!';
  const after = equal && part.charAt(sign + 1) === '=' ? sign + 2 : sign + 1;
  return { field: part.slice(0, equal ? sign : sign - 1), equal, value: unescaped(part.slice(after)) };
}

function unescaped(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  return text.replace(/\\([\\,=])|\\(.?)|[,=]/gsu, (found: string, meant?: string, wrong?: string) => {
    if (meant !== undefined) return meant;
    if (wrong === undefined) {
      throw badRequest(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`);
    }
    throw badRequest(`invalid field selector: invalid escape sequence: \\${wrong}`);
  });
}

/** Selects what all of the selectors select; everything if there are none. */
export function allOf(...selectors: readonly Selector[]): Selector {
  const parts = selectors.filter(({ empty }) => !empty);
  if (parts.length < 2) return parts[0] ?? everything;
  return {
    empty: false,
    matches: (candidate) => parts.every((part) => part.matches(candidate)),
    equalities: parts.flatMap(({ equalities }) => equalities),
    onlyEqualities: parts.every(({ onlyEqualities }) => onlyEqualities),
  };
}
