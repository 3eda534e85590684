import type { Selector } from '../../api/selectors/contract.js';
import { createBoundedCache } from '../../cache/bounded-cache.js';

/** The selector of a watch, and its key: equal keys mean the same selector. */
export interface WatchedSelection {
  readonly selector: Selector;
  readonly key: string;
}

/** Returns the compiled selector that watches with the same texts share. `compile` makes one that is not cached. */
export type WatchedSelections = (texts: readonly string[], compile: () => Selector) => WatchedSelection;

/** The maximum number of cached selections, and the maximum total of UTF-16 code units of their texts. */
const MAX_SELECTIONS = 1_024;
const MAX_TEXT_LENGTH = 1_048_576;

/** Creates an empty cache of selections. Watches continue to use a selection that was evicted. */
export function createWatchedSelections(): WatchedSelections {
  const known = createBoundedCache<string, WatchedSelection>({
    maxEntries: MAX_SELECTIONS,
    maxCost: MAX_TEXT_LENGTH,
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
