import { isObject, member, sameTree } from '../../json/json-tree.js';
import type { Shape, StructShape } from '../schema/shape.js';
import { isAtomic, isVacant } from './fields-of.js';

type Members = Readonly<Record<string, unknown>>;

/** A difference without a short text: in the items of a list. */
const UNTOLD: unique symbol = Symbol('untold');

/**
 * Which fields differ between two states, as a text: pairs of states with equal texts have equal comparisons (see
 * `compareObjects`). Undefined where comparing members is not enough: lists in which only some items differ.
 * Most updates change the same fields, and this text is the cache key for that: 2.6 µs, and little
 * if the states share their parts; field sets take 3.2 µs, and as much again to be written as a key.
 *
 * `+name,` changed or was added, `-name,` was removed; `name{…}` differs inside.
 */
export function differenceText(live: Members, next: Members, shape: StructShape): string | undefined {
  const text = inFields(live, next, shape);
  return text === UNTOLD ? undefined : text;
}

function inFields(live: Members, next: Members, shape: StructShape): string | typeof UNTOLD {
  let text = '';
  for (const { name, shape: below } of shape.fields) {
    const before = live[name];
    const now = next[name];
    if (before === now) continue;
    const found = inValue(name, before, now, below);
    if (found === UNTOLD) return UNTOLD;
    text += found;
  }
  return text;
}

/** `undefined` is absent, and not the same as null. */
function inValue(name: string, before: unknown, now: unknown, shape: Shape): string | typeof UNTOLD {
  if (isAtomic(shape) || (isVacant(before) && isVacant(now))) {
    if (now === undefined) return `-${name},`;
    return before !== undefined && sameTree(before, now) ? '' : `+${name},`;
  }
  if (shape.kind === 'list') return sameTree(before, now) ? '' : UNTOLD;
  const one = isObject(before) ? before : NOTHING;
  const other = isObject(now) ? now : NOTHING;
  const inside = shape.kind === 'struct' ? inFields(one, other, shape) : inMap(one, other, shape);
  if (inside === UNTOLD) return UNTOLD;
  const itself = before === undefined ? '+' : now === undefined ? '-' : '';
  return itself === '' && inside === '' ? '' : `${itself}${name}{${inside}}`;
}

const NOTHING: Members = Object.freeze({});

/** Keys come from clients, so they are written as JSON. */
function inMap(live: Members, next: Members, shape: Shape): string | typeof UNTOLD {
  const below = shape.kind === 'map' ? shape.value : undefined;
  if (!below || !isAtomic(below)) return UNTOLD;
  let text = '';
  for (const key of Object.keys(next)) {
    const now = next[key];
    const before = member(live, key);
    if (now === before || now === undefined) continue;
    if (before === undefined || !sameTree(before, now)) text += `+${JSON.stringify(key)},`;
  }
  for (const key of Object.keys(live)) {
    if (live[key] !== undefined && member(next, key) === undefined) text += `-${JSON.stringify(key)},`;
  }
  return text;
}
