import { byCodePoint } from '../../json/code-point-order.js';
import type { Selector } from './contract.js';

/** The selector without requirements. */
export const everything: Selector = Object.freeze({
  empty: true,
  canonical: '',
  matches: () => true,
  equalities: [],
  onlyEqualities: true,
});

/** Selects what every one of the selectors selects; everything when there is none. */
export function allOf(...selectors: readonly Selector[]): Selector {
  const parts: Selector[] = [];
  for (const selector of selectors) if (!selector.empty) parts.push(selector);
  const [only] = parts;
  if (only === undefined) return everything;
  if (parts.length === 1) return only;
  const words = [...new Set(parts.map(({ canonical }) => canonical))].sort(byCodePoint);
  return {
    empty: false,
    canonical: words.length === 1 ? (words[0] as string) : JSON.stringify(words),
    matches: (candidate) => parts.every((part) => part.matches(candidate)),
    equalities: parts.flatMap(({ equalities }) => equalities),
    onlyEqualities: parts.every(({ onlyEqualities }) => onlyEqualities),
  };
}
