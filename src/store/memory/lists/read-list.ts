import type { FieldTerm, ListPage, ListQuery, Position } from '../../contract.js';
import { countLeft } from './count-left.js';
import { rangeOf, type ListRange } from './list-range.js';
import { listedRecords } from './listed-records.js';
import type { Cursor } from '../index/ordered-index.js';
import type { PastView } from '../history/past-views.js';
import { keyOf, namespaceOf } from '../bytes/sort-key.js';
import type { MemoryState } from '../state/state.js';
import { StoredEvent } from '../bytes/stored-event.js';
import { visibleVersion, type Slot, type Version } from '../index/version.js';

/** How many keys a read looks at, in one turn of the event loop, that are not in its page: they have not the terms, or are younger. */
const SEARCH = 4096;
/** How many keys are read at once. */
const BATCH = 512;

/** A page, and whether it ends early because it has looked at enough. Then it is not full, and has a `next`. */
export interface ReadPage {
  readonly page: ListPage;
  readonly tired: boolean;
}

/** Told of a key without a version at the revision; false: it was the last one to look at. */
type Skipped = (slot: Slot) => boolean;

/** True when the version's event carries every term's value. */
function fits({ event }: Version, terms: readonly FieldTerm[]): boolean {
  for (const { field, value } of terms) if (StoredEvent.field(event as StoredEvent, field) !== value) return false;
  return true;
}

/** Two falling cursors as one. */
function merge<V>(one: Cursor<number, V>, other: Cursor<number, V>): Cursor<number, V> {
  const first = (): Cursor<number, V> => {
    const a = one.key();
    const b = other.key();
    return b === undefined || (a !== undefined && a > b) ? one : other;
  };
  return { key: () => first().key(), value: () => first().value(), step: () => first().step() };
}

/** Visits visible versions in falling order of their revisions until `visit` says false. */
function walkDown(
  { revisions }: MemoryState,
  { upTo, namespace }: ListRange,
  past: PastView | undefined,
  visit: (version: Version) => boolean,
): void {
  let cursor = revisions.of(namespace).descend(upTo, true);
  if (past !== undefined) cursor = merge(cursor, past.versions.descend(upTo, true));
  for (let version = cursor.value(); version !== undefined; cursor.step(), version = cursor.value()) {
    if (!visit(version)) return;
  }
}

/** Visits visible versions in order of their keys until `visit` says false. The newest state is read without a look at history. */
function walkUp(
  { keys, log }: MemoryState,
  { step, above, below }: ListRange,
  batch: number,
  visit: (version: Version) => boolean,
  skipped: Skipped,
): void {
  const newest = step === log.latest();
  const size = newest ? batch : BATCH;
  for (let from = above; ;) {
    let slots = keys.living.between(from, below, size);
    const buried = newest ? [] : keys.buried.between(from, below, size);
    // The first ones of both are among the first ones of each.
    if (buried.length > 0) slots = slots.concat(buried).sort(bySortKey).slice(0, size);
    const heads = headsOf(slots);
    for (let i = 0; i < slots.length; i++) {
      const version = newest ? heads[i] : visibleVersion(slots[i] as Slot, step);
      if (version === undefined ? !skipped(slots[i] as Slot) : !visit(version)) return;
    }
    if (slots.length < size) return;
    from = slots.at(-1)?.sortKey;
  }
}

/** The newest versions. A loop of its own for the reason that `listedRecords` gives. */
export function headsOf(slots: readonly Slot[]): Version[] {
  const heads: Version[] = [];
  for (let i = 0; i < slots.length; i++) heads.push((slots[i] as Slot).head);
  return heads;
}

const bySortKey = (a: Slot, b: Slot): number => (a.sortKey < b.sortKey ? -1 : 1);
const byStep = (a: Version, b: Version): number => b.step - a.step;
const byKey = (a: Version, b: Version): number => (a.slot.sortKey < b.slot.sortKey ? -1 : 1);

/** True when the versions are in order of their keys, and all between the bounds. */
function inPlace(candidates: readonly Version[], above: string | undefined, below: string | undefined): boolean {
  let last = above;
  for (let i = 0; i < candidates.length; i++) {
    const { sortKey } = (candidates[i] as Version).slot;
    if (last !== undefined && sortKey <= last) return false;
    last = sortKey;
  }
  return below === undefined || last === undefined || last < below;
}

/**
 * The few versions that share a value, in order. Names of events end with their time, so that most come in order: to see
 * that takes a third of the comparisons, 7 % of a list of 20.
 */
export function sorted(candidates: readonly Version[], range: ListRange): readonly Version[] {
  const { above, below, namespace, upTo, newestFirst } = range;
  if (!newestFirst && inPlace(candidates, above, below)) return candidates;
  const wanted = candidates.filter(({ slot, step }) => {
    if (newestFirst) return step <= upTo && (namespace === undefined || namespaceOf(slot.sortKey) === namespace);
    return (above === undefined || slot.sortKey > above) && (below === undefined || slot.sortKey < below);
  });
  return wanted.sort(newestFirst ? byStep : byKey);
}

/**
 * What has stood at the revision and no longer does, where a page needs that. To be caught up with before {@link readList},
 * a part in each turn, and held meanwhile: others may push it out of what is remembered. Fails like {@link readList}.
 */
export function pastOf(state: MemoryState, query: ListQuery): PastView | undefined {
  if (query.order !== 'newest-first' || query.at === undefined) return undefined;
  const { step, namespace } = rangeOf(state, query);
  return state.pastViews.of(step, namespace);
}

/** Reads one page. `past`: see {@link pastOf}. Fails with `expired` and `future-revision`. */
export function readList(state: MemoryState, query: ListQuery, past: PastView | undefined): ReadPage {
  const range = rangeOf(state, query);
  const { step } = range;
  const terms = query.terms ?? [];
  const found = terms.length === 0 ? undefined : state.postings.find(terms, step);
  const patience = terms.length > 0 && found === undefined ? SEARCH : Infinity;
  const versions: Version[] = [];
  let last: Version | undefined;
  let looked = 0;
  let more = false;
  /** Keys without a version at the revision, and where there were enough of them. */
  let invisible = 0;
  let at: Slot | undefined;
  // What was found by the only term has its value.
  const open = found !== undefined && terms.length === 1 ? [] : terms;
  const visit = (version: Version): boolean => {
    if (versions.length === query.limit || looked === patience) {
      more = true;
      return false;
    }
    looked++;
    last = version;
    if (found !== undefined || fits(version, terms)) versions.push(version);
    return true;
  };
  const skipped: Skipped = (slot) => {
    if (++invisible < SEARCH) return true;
    at = slot;
    return false;
  };
  if (found !== undefined) sorted(found, range).every((version) => !fits(version, open) || visit(version));
  else if (range.newestFirst) walkDown(state, range, past, visit);
  else walkUp(state, range, terms.length === 0 ? Math.min(query.limit + 1, BATCH) : BATCH, visit, skipped);

  const records = listedRecords(versions, state.start, query.namespace);
  const page: { -readonly [Field in keyof ListPage]: ListPage[Field] } = { records, revision: state.start + step };
  if (more) page.next = positionOf(state, last as Version, range.newestFirst);
  if (terms.length === 0) page.remaining = more ? countLeft(state, range, last as Version) : 0;
  if (at === undefined) return { page, tired: looked === patience };
  delete page.remaining;
  return { page: { ...page, next: keyOf(at.sortKey) }, tired: true };
}

export function positionOf({ start }: MemoryState, { slot, step }: Version, newestFirst: boolean): Position {
  const key = keyOf(slot.sortKey);
  return newestFirst ? { ...key, revision: start + step } : key;
}
