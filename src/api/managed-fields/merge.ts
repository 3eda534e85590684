import { setMember } from '../../json/json-document.js';
import { isObject, member } from '../../json/json-tree.js';
import type { ListShape, Shape } from '../schema/shape.js';
import { isAtomic, isVacant, itemElement, itemsByElement, memberShape } from './fields-of.js';

type JsonObject = Readonly<Record<string, unknown>>;

function mergeValue(live: unknown, intent: unknown, shape: Shape): unknown {
  if (intent === undefined) return live;
  if (isAtomic(shape) || live === undefined || (isVacant(live) && isVacant(intent))) return intent;
  if (shape.kind === 'list') return mergeItems(live, intent, shape);
  return mergeIntent(isObject(live) ? live : {}, isObject(intent) ? intent : {}, shape);
}

/**
 * Merges an intent into an object: fields of the intent win, other fields stay, nothing is removed. Objects
 * and lists that are not atomic are merged member by member. Unchanged parts are shared.
 */
export function mergeIntent(live: JsonObject, intent: JsonObject, shape: Shape): JsonObject {
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
 * The order of structured-merge-diff: the intent's for its own items; items that only the live list has keep their
 * position before the next common item.
 */
function mergeItems(live: unknown, intent: unknown, shape: ListShape): unknown[] {
  const liveItems = (Array.isArray(live) ? live : []) as readonly unknown[];
  const before = itemsByElement(live, shape);
  const wanted = itemsByElement(intent, shape);
  const left = liveItems.map((item) => elementOf(item, shape));
  const right = [...wanted.keys()];
  const shared = right.filter((element) => before.has(element)).values();
  const done = new Set<string>();
  const merged: unknown[] = [];
  const take = (element: string): void => {
    const likes = before.get(element) ?? [];
    // Repeated items have no single counterpart to merge with.
    merged.push(mergeValue(likes.length > 1 ? null : likes[0], wanted.get(element)?.[0], shape.item));
    done.add(element);
  };
  let next = shared.next().value;
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const ours = left[l];
    const theirs = right[r];
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(theirs);
        l++;
        r++;
        next = shared.next().value;
        continue;
      }
      if (wanted.has(ours) && next !== undefined && next !== ours) {
        l++;
        continue;
      }
    }
    if (ours !== undefined) {
      if (!wanted.has(ours)) {
        merged.push(liveItems[l++]);
        continue;
      }
      if (done.has(ours)) l++;
    }
    if (theirs !== undefined) {
      take(theirs);
      r++;
      if (next === theirs) next = shared.next().value;
    }
  }
  return merged;
}

/** A decoded object has no items without an element; any constant distinguishes them from those of the intent. */
function elementOf(item: unknown, shape: ListShape): string {
  const found = itemElement(item, shape);
  return 'element' in found ? found.element : '';
}
