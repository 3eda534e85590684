import { isObject } from '../../json/json-tree.js';

/** An object with nothing wrong, unknown or rare: what every decoder makes of the value, which may be consumed for it. */
export interface QuickObject {
  readonly object: Record<string, unknown>;
  /** How many keys the value has, at all levels. */
  readonly keys: number;
}

/**
 * Knows the most frequent objects of a kind and version, from a value fresh from `JSON.parse` that says both. Undefined for
 * any other, of which nothing was changed.
 */
export type QuickDecoder = (value: object) => QuickObject | undefined;

/** A text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** How many texts a map has; undefined where it is empty or has other things. */
export function textsIn(map: unknown): number | undefined {
  if (!isObject(map)) return undefined;
  const keys = Object.keys(map);
  for (const key of keys) if (typeof map[key] !== 'string') return undefined;
  return keys.length === 0 ? undefined : keys.length;
}
