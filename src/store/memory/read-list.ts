import type { FieldTerm, ListPage, ListQuery, Position } from '../contract.js';
import type { EventRecord } from '../record.js';
import { countLeft } from './count-left.js';
import { rangeOf, type ListRange } from './list-range.js';
import type { Cursor } from './ordered-index.js';
import { keyOf, namespaceOf } from './sort-key.js';
import type { MemoryState } from './state.js';
import { StoredEvent } from './stored-event.js';
import { isVisible, visibleVersion, type Version } from './version.js';

/** How many events a search for terms looks at before it hands out what it found and lets others work. */
const SEARCH = 4096;

/** A page, and whether it ends early because the search looked at enough. */
export interface ReadPage {
  readonly page: ListPage;
  readonly tired: boolean;
}

/** True when the version's event carries every term's value. */
function fits({ event }: Version, terms: readonly FieldTerm[]): boolean {
  return terms.every(({ field, value }) => StoredEvent.field(event as StoredEvent, field) === value);
}

/** Two cursors as one. */
function merge<K extends string | number, V>(one: Cursor<K, V>, other: Cursor<K, V>, rising: boolean): Cursor<K, V> {
  const first = (): Cursor<K, V> => {
    const a = one.key();
    const b = other.key();
    if (a === undefined || b === undefined) return a === undefined ? other : one;
    return a < b === rising ? one : other;
  };
  return { key: () => first().key(), value: () => first().value(), step: () => first().step() };
}

/** Visits visible versions in order until `visit` says false. The newest state is read without a look at history. */
function walk(state: MemoryState, range: ListRange, visit: (version: Version) => boolean): void {
  const { step, above, below, upTo } = range;
  const newest = step === state.log.latest();
  if (range.newestFirst) {
    const { current, past } = state.revisions.of(range.namespace);
    let cursor = current.descend(upTo, true);
    if (!newest) cursor = merge(cursor, past.descend(upTo, true), false);
    for (let version = cursor.value(); version !== undefined; cursor.step(), version = cursor.value()) {
      if (isVisible(version, step) && !visit(version)) return;
    }
    return;
  }
  const { living, buried } = state.keys;
  let cursor = living.ascend(above, false);
  if (!newest) cursor = merge(cursor, buried.ascend(above, false), true);
  for (let slot = cursor.value(); slot !== undefined; cursor.step(), slot = cursor.value()) {
    if (below !== undefined && slot.sortKey >= below) return;
    const version = visibleVersion(slot, step);
    if (version !== undefined && !visit(version)) return;
  }
}

/** The few versions that share a value, in order. */
function sorted(candidates: readonly Version[], range: ListRange): Version[] {
  const { above, below, namespace, upTo, newestFirst } = range;
  const wanted = candidates.filter(({ slot, step }) => {
    if (newestFirst) return step <= upTo && (namespace === undefined || namespaceOf(slot.sortKey) === namespace);
    return (above === undefined || slot.sortKey > above) && (below === undefined || slot.sortKey < below);
  });
  return wanted.sort((a, b) => {
    if (newestFirst) return b.step - a.step;
    return a.slot.sortKey < b.slot.sortKey ? -1 : 1;
  });
}

/** Reads one page. Fails with `expired` and `future-revision`. */
export function readList(state: MemoryState, query: ListQuery): ReadPage {
  const range = rangeOf(state, query);
  const { step } = range;
  const terms = query.terms ?? [];
  const found = terms.length === 0 ? undefined : state.postings.find(terms, step, state.log.latest());
  const patience = terms.length > 0 && found === undefined ? SEARCH : Infinity;
  const records: EventRecord[] = [];
  let last: Version | undefined;
  let looked = 0;
  let more = false;
  const visit = (version: Version): boolean => {
    if (records.length === query.limit || looked === patience) {
      more = true;
      return false;
    }
    looked++;
    last = version;
    if (fits(version, terms)) records.push(state.record(version));
    return true;
  };
  if (found === undefined) walk(state, range, visit);
  else sorted(found, range).every((version) => !fits(version, terms) || visit(version));

  const page: { -readonly [Field in keyof ListPage]: ListPage[Field] } = { records, revision: state.start + step };
  if (more) page.next = positionOf(state, last as Version, range.newestFirst);
  if (terms.length === 0) page.remaining = more ? countLeft(state, range, last as Version) : 0;
  return { page, tired: looked === patience };
}

function positionOf({ start }: MemoryState, { slot, step }: Version, newestFirst: boolean): Position {
  const key = keyOf(slot.sortKey);
  return newestFirst ? { ...key, revision: start + step } : key;
}
