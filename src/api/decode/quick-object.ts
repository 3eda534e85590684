import { isInt32, isObject } from '../../json/json-tree.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { parseTime } from '../../time/parse-time.js';
import type { TimeType } from '../../time/timestamp.js';

/** An object without errors, unknown or rare fields, as every decoder would return it. It may reuse the value. */
export interface QuickObject {
  readonly object: Record<string, unknown>;
  /** How many keys the value has, at all levels. */
  readonly keys: number;
}

/**
 * Decodes the most frequent objects of a kind and version, from a new value of `JSON.parse`; leaves others unchanged.
 * `managed` are the managed fields, where the value has the number 0 in their place.
 */
export type QuickDecoder = (value: object, managed?: readonly ManagedFieldsEntry[]) => QuickObject | undefined;

/** Managed fields by their JSON; undefined for those that are not known. Not to be changed. */
export type KnownEntries = (json: string) => readonly ManagedFieldsEntry[] | undefined;

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const isCount = (value: unknown): value is number => typeof value === 'number' && value > 0 && isInt32(value);

/** A time in canonical form; undefined for any other value, and for Go's zero time. */
export function timeOf(value: unknown, type: TimeType): string | undefined {
  if (!isText(value)) return undefined;
  const time = parseTime(value, type);
  return 'error' in time ? undefined : (time.value ?? undefined);
}

/** How many texts a map has; undefined if it is empty or has other values. */
export function textsIn(map: unknown): number | undefined {
  if (!isObject(map)) return undefined;
  const keys = Object.keys(map);
  for (const key of keys) if (typeof map[key] !== 'string') return undefined;
  return keys.length === 0 ? undefined : keys.length;
}
