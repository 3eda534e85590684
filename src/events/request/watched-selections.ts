import type { Selector } from '../../api/selectors/contract.js';

/** What a watch selects, and a name for it: equal keys are one and the same selector. */
export interface WatchedSelection {
  readonly selector: Selector;
  readonly key: string;
}

/** The compiled selectors of watches: those that ask in the same words share one. */
export interface WatchedSelections {
  /** What was compiled for these texts before, or is now. What `compile` throws goes through. */
  of(texts: readonly string[], compile: () => Selector): WatchedSelection;
}

/** So many selections are known at once, and as long their texts may be together, in UTF-16 units. */
const MOST = 1_024;
const MOST_TEXT = 1_048_576;

/**
 * Makes an empty memory of selections. What was not asked for for longest is forgotten first: watches that have it keep
 * it, and one that asks anew compiles it again.
 */
export function createWatchedSelections(): WatchedSelections {
  /** In order of their last use. */
  const known = new Map<string, WatchedSelection>();
  let length = 0;
  let made = 0;

  const forgetOldest = (): void => {
    for (const text of known.keys()) {
      if (known.size <= MOST && length <= MOST_TEXT) return;
      known.delete(text);
      length -= text.length;
    }
  };

  return {
    of(texts, compile) {
      const text = JSON.stringify(texts);
      let selection = known.get(text);
      if (selection === undefined) {
        selection = { selector: compile(), key: String(++made) };
        length += text.length;
      } else {
        known.delete(text);
      }
      known.set(text, selection);
      forgetOldest();
      return selection;
    },
  };
}
