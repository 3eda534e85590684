import type { FieldTerm, ListPage, ListQuery, Position, Revision } from '../../contract/event-store.js';
import type { EventRecord } from '../../contract/record.js';
import { countLeft, inRange, rangeOf, type ListRange } from './list-range.js';
import type { PastView } from '../history/past-views.js';
import { keyOf } from '../bytes/sort-key.js';
import type { MemoryState } from '../state/state.js';
import { StoredEvent } from '../bytes/stored-event.js';
import { visibleVersion, type Slot, type Version } from '../bytes/version.js';

/** How many keys that do not belong to the page (no match, or too new) one turn of the event loop examines. */
const SCAN_LIMIT = 4096;
const BATCH = 512;

/** A page, and whether it ended early at the scan limit. Then it is not full, and has a `next`. */
export interface ReadPage {
  readonly page: ListPage;
  readonly incomplete: boolean;
}

/** Called for a key without a version at the revision; returns false to stop. */
type Skipped = (slot: Slot) => boolean;

function matches({ event }: Version, terms: readonly FieldTerm[]): boolean {
  for (const { field, value } of terms) if (StoredEvent.field(event as StoredEvent, field) !== value) return false;
  return true;
}

function walkDown(
  { revisions }: MemoryState,
  { upTo, namespace }: ListRange,
  past: PastView | undefined,
  batch: number,
  visit: (version: Version) => boolean,
): void {
  for (let from = upTo; ;) {
    let versions = revisions.of(namespace).descend(from, batch);
    const older = past?.versions.descend(from, batch) ?? [];
    if (older.length > 0) versions = versions.concat(older).sort(bySequence).slice(0, batch);
    if (!versions.every(visit) || versions.length < batch) return;
    from = (versions.at(-1) as Version).sequence - 1;
  }
}

/** Visits visible versions in key order until `visit` returns false. The newest state is read without history. */
function walkUp(
  { keys, log }: MemoryState,
  { sequence, above, below }: ListRange,
  batch: number,
  visit: (version: Version) => boolean,
  skipped: Skipped,
): void {
  const newest = sequence === log.latest();
  const size = newest ? batch : BATCH;
  for (let from = above; ;) {
    let slots = keys.live.between(from, below, size);
    const deleted = newest ? [] : keys.deleted.between(from, below, size);
    // The first `size` keys of both are among the first `size` keys of each.
    if (deleted.length > 0) slots = slots.concat(deleted).sort(bySortKey).slice(0, size);
    const heads = headsOf(slots);
    for (let i = 0; i < slots.length; i++) {
      const version = newest ? heads[i] : visibleVersion(slots[i] as Slot, sequence);
      if (version === undefined ? !skipped(slots[i] as Slot) : !visit(version)) return;
    }
    if (slots.length < size) return;
    from = slots.at(-1)?.sortKey;
  }
}

/** The newest versions, in a separate loop for the reason given at `listedRecords`. */
export function headsOf(slots: readonly Slot[]): Version[] {
  const heads: Version[] = [];
  for (let i = 0; i < slots.length; i++) heads.push((slots[i] as Slot).head);
  return heads;
}

/**
 * The records of a list, created in several short loops: only there can the processor load the next of the scattered
 * events while it waits for one. 10,000 are read in 3 ms instead of 6. They are not frozen, unlike those of single
 * events, which saves 60 ns each: only the caller has them.
 */
function listedRecords(versions: readonly Version[], start: Revision, namespace: string | undefined): EventRecord[] {
  const count = versions.length;
  const events: StoredEvent[] = [];
  for (let i = 0; i < count; i++) events.push((versions[i] as Version).event as StoredEvent);
  const expiries: number[] = [];
  for (let i = 0; i < count; i++) expiries.push(StoredEvent.expiresAt(events[i] as StoredEvent));
  const records: EventRecord[] = [];
  for (let i = 0; i < count; i++) {
    const { slot, sequence } = versions[i] as Version;
    const { sortKey } = slot;
    const event = events[i] as StoredEvent;
    const key =
      namespace !== undefined && StoredEvent.hasPlainKey(event)
        ? { namespace, name: sortKey.slice(namespace.length + 1) }
        : keyOf(sortKey);
    records.push({ key, revision: start + sequence, event, expiresAt: expiries[i] as number });
  }
  return records;
}

const bySortKey = (a: Slot, b: Slot): number => (a.sortKey < b.sortKey ? -1 : 1);
const bySequence = (a: Version, b: Version): number => b.sequence - a.sequence;
const byKey = (a: Version, b: Version): number => (a.slot.sortKey < b.slot.sortKey ? -1 : 1);

function isOrdered(candidates: readonly Version[], above: string | undefined, below: string | undefined): boolean {
  let last = above;
  for (let i = 0; i < candidates.length; i++) {
    const { sortKey } = (candidates[i] as Version).slot;
    if (last !== undefined && sortKey <= last) return false;
    last = sortKey;
  }
  return below === undefined || last === undefined || last < below;
}

/** Sorts versions. Names end with their time, so most are in order already; checking that saves 7 % of a list of 20. */
export function sorted(candidates: readonly Version[], range: ListRange): readonly Version[] {
  const { above, below, newestFirst } = range;
  if (!newestFirst && isOrdered(candidates, above, below)) return candidates;
  return candidates.filter((version) => inRange(range, version)).sort(newestFirst ? bySequence : byKey);
}

/**
 * The view of superseded versions that a page needs, if any. Call `catchUp` on it, once per turn of the event loop,
 * before {@link readList}, and keep the reference: the cache may drop it meanwhile. Fails like {@link readList}.
 */
export function pastOf(state: MemoryState, query: ListQuery): PastView | undefined {
  if (query.order !== 'newest-first' || query.at === undefined) return undefined;
  const { sequence, namespace } = rangeOf(state, query);
  return state.pastViews.of(sequence, namespace);
}

/** Reads one page. `past`: see {@link pastOf}. Fails with `expired` and `future-revision`. */
export function readList(state: MemoryState, query: ListQuery, past: PastView | undefined): ReadPage {
  const range = rangeOf(state, query);
  const { sequence } = range;
  const terms = query.terms ?? [];
  const found = terms.length === 0 ? undefined : state.valueIndex.find(terms, sequence);
  const scanLimit = terms.length > 0 && found === undefined ? SCAN_LIMIT : Infinity;
  const versions: Version[] = [];
  let last: Version | undefined;
  let scanned = 0;
  let more = false;
  /** Number of keys without a version at the revision, and the key at which the limit was reached. */
  let invisible = 0;
  let at: Slot | undefined;
  // Versions found by the only term need not be checked again.
  const open = found !== undefined && terms.length === 1 ? [] : terms;
  const visit = (version: Version): boolean => {
    if (versions.length === query.limit || scanned === scanLimit) {
      more = true;
      return false;
    }
    scanned++;
    last = version;
    if (found !== undefined || matches(version, terms)) versions.push(version);
    return true;
  };
  const skipped: Skipped = (slot) => {
    if (++invisible < SCAN_LIMIT) return true;
    at = slot;
    return false;
  };
  const batch = terms.length === 0 ? Math.min(query.limit + 1, BATCH) : BATCH;
  if (found !== undefined) sorted(found, range).every((version) => !matches(version, open) || visit(version));
  else if (range.newestFirst) walkDown(state, range, past, batch, visit);
  else walkUp(state, range, batch, visit, skipped);

  const records = listedRecords(versions, state.start, query.namespace);
  const revision = state.start + sequence;
  if (at !== undefined) return { page: { records, revision, next: keyOf(at.sortKey) }, incomplete: true };
  const page: { -readonly [Field in keyof ListPage]: ListPage[Field] } = { records, revision };
  if (more) page.next = positionOf(state, last as Version, range.newestFirst);
  if (terms.length === 0) page.remaining = more ? countLeft(state, range, last as Version) : 0;
  return { page, incomplete: scanned === scanLimit };
}

export function positionOf({ start }: MemoryState, { slot, sequence }: Version, newestFirst: boolean): Position {
  const key = keyOf(slot.sortKey);
  return newestFirst ? { ...key, revision: start + sequence } : key;
}
