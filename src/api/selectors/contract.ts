/** What selectors look at: flat strings, an absent one counts as `""` for fields and as missing for labels. */
export interface Selectable {
  readonly fields: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** One of `fields`, `""` where there is none: for those whose `fields` have to be made first. */
  field?(name: string): string;
}

/** A compiled selector. */
export interface Selector {
  /** True when nothing is filtered. */
  readonly empty: boolean;
  /** `canonical` is equal for selectors that select the same by the same words: a cache key. */
  readonly canonical: string;
  matches(candidate: Selectable): boolean;
  /** Field equalities every match must have: what a store may narrow by. */
  readonly equalities: readonly { readonly field: string; readonly value: string }[];
  /** True when whatever has the equalities is a match. */
  readonly onlyEqualities: boolean;
}
