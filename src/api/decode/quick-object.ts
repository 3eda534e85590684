import { isObject } from '../../json/json-tree.js';

/** An object without errors, unknown or rare fields, as every decoder would return it. The value may be reused for it. */
export interface QuickObject {
  readonly object: Record<string, unknown>;
  /** How many keys the value has, at all levels. */
  readonly keys: number;
}

/**
 * Decodes the most frequent objects of a kind and version, from a new value of `JSON.parse` that has both. Undefined for
 * any other value, which is not changed.
 */
export type QuickDecoder = (value: object) => QuickObject | undefined;

/** A text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** How many texts a map has; undefined if it is empty or has other values. */
export function textsIn(map: unknown): number | undefined {
  if (!isObject(map)) return undefined;
  const keys = Object.keys(map);
  for (const key of keys) if (typeof map[key] !== 'string') return undefined;
  return keys.length === 0 ? undefined : keys.length;
}
