/** What selectors read: strings by name; an absent one counts as `""` for fields and as missing for labels. */
export interface Selectable {
  readonly fields: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** One of `fields`, `""` if there is none: for objects whose `fields` are expensive to make. */
  field?(name: string): string;
}

/** A compiled selector. */
export interface Selector {
  /** True when nothing is filtered. */
  readonly empty: boolean;
  /** `canonical` is equal for equivalent selectors: a cache key. */
  readonly canonical: string;
  matches(candidate: Selectable): boolean;
  /** Field equalities that every match has, by which a store may narrow. */
  readonly equalities: readonly { readonly field: string; readonly value: string }[];
  /** True if everything with these equalities is a match. */
  readonly onlyEqualities: boolean;
}
