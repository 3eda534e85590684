import type { Revision } from './record.js';

/**
 * What a read is content with, where that is less than the latest state. Hints, which a store may ignore: one that keeps a
 * copy of the data can answer from it without asking whether it is up to date. Without them every read shows all writes that
 * were acknowledged before it began. With `at` they mean nothing.
 */
export interface ReadHints {
  /** Any earlier state will do: `resourceVersion=0` of a get or list, kube-apiserver's "Any". Default: false. */
  readonly mayBeStale?: boolean | undefined;
  /**
   * Any state at this revision or a later one will do: `resourceVersion=N`. A revision that lies ahead is not waited for; the
   * library compares it with what it was given. Default: none.
   */
  readonly notOlderThan?: Revision | undefined;
}

/**
 * What `get.sync` of a store returns when it cannot answer at once, for example while its copy is behind: the caller uses the
 * promise of `get`. The same value in every copy of the package.
 */
export const LATER: unique symbol = Symbol.for('kube-vitals.LATER') as never;
