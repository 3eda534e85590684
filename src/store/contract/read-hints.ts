import type { Revision } from './record.js';

/**
 * Which states a read accepts that are older than the latest one. These are hints, which a store may ignore: a store
 * with a copy of the data can serve reads from it without checking whether it is up to date. Without hints every read
 * shows all writes that were acknowledged before it began. With `at` they have no effect.
 */
export interface ReadHints {
  /** Any earlier state is accepted: `resourceVersion=0` of a get or list, kube-apiserver's "Any". Default: false. */
  readonly mayBeStale?: boolean | undefined;
  /**
   * Any state at this revision or a later one is accepted: `resourceVersion=N`. A store does not wait for a revision
   * later than the latest one; the library compares it with the revision of the result. Default: none.
   */
  readonly notOlderThan?: Revision | undefined;
}

/**
 * Returned by `get.sync` of a store that cannot read the event at once, for example while its copy is behind: the
 * caller then uses the promise of `get`. The same value, and of the same type, in every copy of the package.
 */
export const LATER: symbol & {
  /** The key of the symbol in the global registry. */
  readonly description: 'kube-vitals.LATER';
} = Symbol.for('kube-vitals.LATER') as never;
