import { setMember } from '../../json/json-document.js';
import { isObject, member } from '../../json/json-tree.js';
import type { ListShape, Shape } from '../schema/shape.js';
import { isAtomic, isVacant, itemElement, itemsByElement, memberShape } from './fields-of.js';
import type { WireObject } from './tracked-object.js';

function mergeValue(live: unknown, intent: unknown, shape: Shape): unknown {
  if (intent === undefined) return live;
  if (isAtomic(shape) || live === undefined || (isVacant(live) && isVacant(intent))) return intent;
  if (shape.kind === 'list') return mergeItems(live, intent, shape);
  return mergeIntent(isObject(live) ? live : {}, isObject(intent) ? intent : {}, shape);
}

/** Fields of the intent win, other fields stay, and nothing is removed. Unchanged parts are shared. */
export function mergeIntent(live: WireObject, intent: WireObject, shape: Shape): WireObject {
  const merged: Record<string, unknown> = {};
  for (const source of [live, intent]) {
    for (const key of Object.keys(source)) {
      const below = memberShape(shape, key);
      if (!below || Object.hasOwn(merged, key)) continue;
      const value = mergeValue(member(live, key), member(intent, key), below);
      if (value !== undefined) setMember(merged, key, value);
    }
  }
  return merged;
}

/**
 * Has the order of structured-merge-diff: the intent's for its own items; items that only the live list has keep their
 * position before the next common item.
 */
function mergeItems(live: unknown, intent: unknown, shape: ListShape): unknown[] {
  const liveItems = (Array.isArray(live) ? live : []) as readonly unknown[];
  const before = itemsByElement(live, shape);
  const wanted = itemsByElement(intent, shape);
  const left = liveItems.map((item) => elementOf(item, shape));
  const shared = [...wanted.keys()].filter((element) => before.has(element)).values();
  let next = shared.next().value;
  let at = 0;
  const merged: unknown[] = [];
  for (const [element, [item]] of wanted) {
    while (at < left.length && left[at] !== next) {
      const isWanted = wanted.has(left[at] as string);
      if (!isWanted) merged.push(liveItems[at]);
      at++;
      // After the last common item, only repeated items are wanted.
      if (isWanted && next === undefined) break;
    }
    const sameElement = before.get(element) ?? [];
    // Repeated items have no single counterpart to merge with.
    merged.push(mergeValue(sameElement.length > 1 ? null : sameElement[0], item, shape.item));
    if (element !== next) continue;
    next = shared.next().value;
    at++;
  }
  return [...merged, ...liveItems.filter((_, index) => index >= at && !wanted.has(left[index] as string))];
}

/** The path element of an item. Items of a decoded object always have one; the fallback equals none of an intent. */
function elementOf(item: unknown, shape: ListShape): string {
  const found = itemElement(item, shape);
  return 'element' in found ? found.element : '';
}
