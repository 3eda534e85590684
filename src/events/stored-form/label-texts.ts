import { createBoundedCache } from '../../cache/bounded-cache.js';
import type { LabelTexts } from '../codec/read-event.js';

/** No more, and no longer ones, are remembered. */
const MAX_TEXTS = 1000;
const MAX_LENGTH = 512;

/** Makes an empty {@link LabelTexts}. Many events have the same few labels: 0.2 µs instead of 1.5 over again. */
export function createLabelTexts(): LabelTexts {
  const known = createBoundedCache<string, Readonly<Record<string, string>>>({ maxEntries: MAX_TEXTS });
  return (json) => {
    const found = known.get(json);
    if (found) return found;
    const labels = Object.freeze(JSON.parse(json) as Record<string, string>);
    if (json.length > MAX_LENGTH) return labels;
    // A copy: the text may be a piece of a long one, which would stay with it.
    known.set(` ${json}`.slice(1), labels);
    return labels;
  };
}
