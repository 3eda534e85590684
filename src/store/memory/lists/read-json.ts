import type { FieldTerm, JsonPage, JsonSource, ListQuery } from '../../contract/event-store.js';
import type { CachedEvents, JsonCache } from './json-cache.js';
import { countLeft, rangeOf, type ListRange } from './list-range.js';
import { headsOf, positionOf, sorted } from './read-list.js';
import type { MemoryState } from '../state/state.js';
import { eventsJsonInPieces } from './events-json.js';
import type { Version } from '../bytes/version.js';

/** With more matches a list by value is read as records: the cached path examines each version. */
const FEW = 512;
/** A page of more blocks (4,000 to 8,000 events) is read as records, so that not all bytes are in memory at once. */
const BLOCKS = 64;

/** Whether {@link readJson} may return a page for a query, judging by the query alone. */
export function isJsonQuery({ order, terms = [], after }: ListQuery): boolean {
  return order !== 'newest-first' && (terms.length === 0 || (terms.length === 1 && after === undefined));
}

/**
 * Reads a page as JSON: cached pieces, and pieces that are written when they are sent. `undefined` when an event has
 * changed since the revision, and for other lists than {@link isJsonQuery} accepts. Fails like `readList`.
 */
export function readJson(state: MemoryState, cache: JsonCache, query: ListQuery): JsonPage | undefined {
  if (!isJsonQuery(query)) return undefined;
  const range = rangeOf(state, query);
  const { terms } = query;
  if (terms === undefined || terms.length === 0) return everything(state, cache, range, query.limit);
  if (range.sequence !== state.log.latest()) return undefined;
  return ofOneValue(state, cache, range, terms[0] as FieldTerm, query.limit);
}

function everything(state: MemoryState, cache: JsonCache, range: ListRange, limit: number): JsonPage | undefined {
  const { keys, log, start } = state;
  const { sequence, above, below } = range;
  const newest = sequence === log.latest();
  // Deleted events that the snapshot still contains are in another index.
  if (!newest && keys.deleted.count(above, below) > 0) return undefined;
  const spans = keys.live.spans(above, below, limit);
  if (spans.length > BLOCKS) return undefined;

  const pieces: JsonSource[] = [];
  let last: Version | undefined;
  for (const span of spans) {
    const { values, first, end } = span;
    const versions = headsOf(values);
    last = versions[end - 1];
    if (!newest && !allBefore(versions, first, end, sequence)) return undefined;
    const joined = cache.of(values, versions, first, end);
    const open = span !== spans.at(-1);
    if (joined !== undefined) pieces.push(pieceOf(joined, first, end, open));
    else pieces.push(...eventsJsonInPieces(versions.slice(first, end), start, open));
  }
  const revision = start + sequence;
  const remaining = last === undefined ? 0 : countLeft(state, range, last);
  if (remaining === undefined) return undefined;
  return { pieces, revision, remaining, ...(last && remaining > 0 && { next: positionOf(state, last, false) }) };
}

function ofOneValue(
  state: MemoryState,
  cache: JsonCache,
  range: ListRange,
  term: FieldTerm,
  limit: number,
): JsonPage | undefined {
  const { valueIndex, start } = state;
  const found = valueIndex.find([term], range.sequence);
  if (found === undefined || found.length > FEW) return undefined;
  const revision = start + range.sequence;
  // Namespaces and field names have no slash. Sorting takes as long as everything else, and so is done only once.
  const owner = `${range.namespace ?? ''}/${term.field}/${term.value}`;
  const joined = cache.of(owner, found, 0, found.length, (versions) => sorted(versions, range));
  if (joined !== undefined) {
    const count = joined.starts.length - 1;
    if (count > limit) return undefined;
    return { pieces: count === 0 ? [] : [pieceOf(joined, 0, count, false)], revision };
  }
  const versions = sorted(found, range);
  if (versions.length > limit) return undefined;
  return { pieces: eventsJsonInPieces(versions, start, false), revision };
}

function allBefore(versions: readonly Version[], first: number, end: number, sequence: number): boolean {
  for (let i = first; i < end; i++) if ((versions[i] as Version).sequence > sequence) return false;
  return true;
}

/** `open`: includes the comma after the last object. */
function pieceOf({ bytes, starts }: CachedEvents, first: number, end: number, open: boolean): Uint8Array {
  return bytes.subarray(starts[first], (starts[end] as number) - (open ? 0 : 1));
}
