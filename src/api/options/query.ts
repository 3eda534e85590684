import { badRequest } from '../status/failures.js';

/** A decoded query: values in order of appearance. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** The first value of a parameter; later ones do not count. */
export function first(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Booleans are lenient: `0` and `false` are false, anything else (also empty) is true. */
export function flag(query: Query, name: string): boolean | undefined {
  const value = first(query, name);
  if (value === undefined) return undefined;
  return value !== '0' && value.toLowerCase() !== 'false';
}

const MAX_INT64 = 9_223_372_036_854_775_807n;

/**
 * A signed 64-bit integer as Go reads it, or 400 with Go's text. What a double cannot hold is brought to the nearest
 * safe integer, without a visible difference.
 */
export function integer(query: Query, name: string): number | undefined {
  const value = first(query, name);
  if (value === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  if (value.length < 16) return Number(value);
  const exact = value.length > 25 ? MAX_INT64 + 1n : BigInt(value);
  if (exact > MAX_INT64 || exact < -MAX_INT64 - 1n) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  }
  return Math.max(Math.min(Number(exact), Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
}
