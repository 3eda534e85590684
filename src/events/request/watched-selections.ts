import type { Selector } from '../../api/selectors/contract.js';
import { createBoundedCache } from '../../cache/bounded-cache.js';

/** The selector of a watch, and its key: equal keys are the same selector. */
export interface WatchedSelection {
  readonly selector: Selector;
  readonly key: string;
}

/**
 * The compiled selectors of watches, shared by those with the same texts. `compile` is called for texts that are not known;
 * its errors propagate.
 */
export type WatchedSelections = (texts: readonly string[], compile: () => Selector) => WatchedSelection;

/** The most selections that are kept, and the most UTF-16 units of their texts together. */
const MOST = 1_024;
const MOST_TEXT = 1_048_576;

/** Makes an empty cache of selections. Watches keep a selection that was evicted. */
export function createWatchedSelections(): WatchedSelections {
  const known = createBoundedCache<string, WatchedSelection>({
    maxEntries: MOST,
    maxCost: MOST_TEXT,
    costOf: (text) => text.length,
  });
  let made = 0;

  return (texts, compile) => {
    const text = JSON.stringify(texts);
    let selection = known.get(text);
    if (selection === undefined) {
      selection = { selector: compile(), key: String(++made) };
      known.set(text, selection);
    }
    return selection;
  };
}
