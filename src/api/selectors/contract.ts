import { badRequest } from '../status/failures.js';

/** What selectors read: strings by name; an absent one counts as `""` for fields and as missing for labels. */
export interface Selectable {
  readonly fields: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** One of `fields`, `""` if there is none: for objects whose `fields` are expensive to make. */
  field?(name: string): string;
}

export interface Selector {
  /** True when nothing is filtered. */
  readonly empty: boolean;
  matches(candidate: Selectable): boolean;
  /** Field equalities that every match has, by which a store may narrow what it reads. */
  readonly equalities: readonly { readonly field: string; readonly value: string }[];
  /** True if everything with these equalities is a match. */
  readonly onlyEqualities: boolean;
}

/** In UTF-16 units. A URL has to fit into 64 KiB of headers, with the rest of the request and its escapes. */
const MAX_SELECTOR_LENGTH = 32_768;

/**
 * The default limit of a selector's terms, values of `in` and `notin` included. This many are parsed in less than a
 * millisecond and take some 50 KiB, acceptable for 2,000 watches with different selectors.
 */
export const MAX_SELECTOR_TERMS = 512;

/** @throws StatusFailure 400 for a text that is too long */
export function requireSelectorLength(parameter: 'labelSelector' | 'fieldSelector', text: string): void {
  if (text.length > MAX_SELECTOR_LENGTH) {
    throw badRequest(`${parameter} is too long: may not be more than ${MAX_SELECTOR_LENGTH} characters`);
  }
}

export function tooManyTerms(parameter: 'labelSelector' | 'fieldSelector', max: number): Error {
  return badRequest(`${parameter} has too many terms: may not be more than ${max}`);
}
