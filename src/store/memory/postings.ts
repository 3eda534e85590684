import type { FieldTerm } from '../contract.js';
import { createShardedMap, type ShardedMap } from './sharded-map.js';
import { StoredEvent } from './stored-event.js';
import { each, put, sweep, sweepList, type SweepList } from './sweep-list.js';
import { isVisible, type Version } from './version.js';

/** The fields with many different values. For others the answer is a large part of everything, and a scan is as good. */
const INDEXED: readonly string[] = ['regarding.name', 'regarding.uid'];
/** A value that is more frequent than this is not worth sorting its events: a scan finds a page soon. */
const FREQUENT = 8192;

/**
 * Versions that share a value: those that are the newest of their key (in the list that it is), and superseded ones that
 * history still shows.
 */
interface Posting extends SweepList<Version> {
  readonly value: string;
  past: SweepList<Version> | undefined;
  /** The next field's posting that came with this one last: the uid of an object that has this name. May be forgotten. */
  mate: Posting | undefined;
}

interface Field {
  readonly field: string;
  readonly values: ShardedMap<Posting>;
  /** What was interned or looked at last: mostly the next to be added, so that a write looks into a large cold map once and not twice. */
  last: Posting | undefined;
  /** The value that was asked for last and is not there. */
  missing: string | undefined;
}

/** Which versions carry a value in an indexed field. Entries are marked dead by their versions, and swept by halves. */
export interface Postings {
  /** The text under which a value is known here, or the value itself: equal values should be one text in memory. */
  intern(field: string, value: string | undefined): string | undefined;
  add(version: Version): void;
  /** The version got a newer one (`version.newer` is set), history still shows it. */
  supersede(version: Version): void;
  /** The version is not readable any more (`version.newer` is itself). */
  drop(version: Version): void;
  /**
   * The versions visible at `step` that have the value of one of the terms, in no order; `undefined` when no term narrows
   * enough, then everything has to be looked at.
   */
  find(terms: readonly FieldTerm[], step: number, latest: number): readonly Version[] | undefined;
}

const isCurrent = (version: Version): boolean => version.newer === undefined;
const isRetained = (version: Version): boolean => version.newer !== version;
/** Then it is, or will be at once, forgotten: it is never used again. */
const isEmpty = ({ size, dead, past }: Posting): boolean =>
  size === dead && (past === undefined || past.size === past.dead);

/** Makes empty postings. */
export function createPostings(): Postings {
  const fields: Field[] = INDEXED.map((field) => ({
    field,
    values: createShardedMap<Posting>(),
    last: undefined,
    missing: undefined,
  }));
  const valuesOf = (name: string): ShardedMap<Posting> | undefined =>
    fields.find(({ field }) => field === name)?.values;

  const eachOf = (version: Version, visit: (posting: Posting) => void): void => {
    for (const field of fields) {
      const { values } = field;
      const value = version.event === undefined ? '' : StoredEvent.field(version.event, field.field);
      const posting = value === '' ? undefined : values.get(value);
      if (posting === undefined) continue;
      visit(posting);
      field.last = posting;
      if (!isEmpty(posting)) continue;
      values.delete(value);
      field.last = undefined;
    }
  };

  const supersede = (version: Version, posting: Posting): void => {
    if (posting.past === undefined) posting.past = sweepList(version);
    else put(posting.past, version);
    posting.dead++;
    sweep(posting, isCurrent);
  };

  const drop = ({ past }: Posting): void => {
    if (past === undefined) return;
    past.dead++;
    sweep(past, isRetained);
  };

  return {
    intern(name, value) {
      if (value === undefined) return undefined;
      const index = INDEXED.indexOf(name);
      const field = fields[index];
      if (field === undefined) return value;
      const mate = index > 0 ? fields[index - 1]?.last?.mate : undefined;
      const posting = mate !== undefined && mate.value === value && !isEmpty(mate) ? mate : field.values.get(value);
      field.last = posting;
      if (posting !== undefined) return posting.value;
      field.missing = value;
      return value;
    },
    add(version) {
      let before: Posting | undefined;
      for (const field of fields) {
        const value = version.event === undefined ? '' : StoredEvent.field(version.event, field.field);
        if (value === '') continue;
        const { last } = field;
        let posting = last !== undefined && last.value === value ? last : undefined;
        if (posting === undefined && field.missing !== value) posting = field.values.get(value);
        if (posting !== undefined) put(posting, version);
        else {
          posting = { tail: [version], full: undefined, size: 1, dead: 0, value, past: undefined, mate: undefined };
          field.values.set(value, posting);
          field.missing = undefined;
        }
        if (before !== undefined && before.mate !== posting) before.mate = posting;
        before = posting;
      }
    },
    supersede: (version) => eachOf(version, (posting) => supersede(version, posting)),
    drop: (version) => eachOf(version, drop),
    find(terms, step, latest) {
      let best: Posting | undefined;
      let fewest = FREQUENT;
      for (const term of terms) {
        const values = valuesOf(term.field);
        if (values === undefined || term.value === '') continue;
        const posting = values.get(term.value);
        if (posting === undefined) return [];
        // The newest state needs no superseded versions.
        const size = posting.size + (step === latest ? 0 : (posting.past?.size ?? 0));
        if (size > fewest) continue;
        fewest = size;
        best = posting;
      }
      if (best === undefined) return undefined;
      const found: Version[] = [];
      each(best, (version) => void (isCurrent(version) && version.step <= step && found.push(version)));
      if (step === latest) return found;
      each(best.past, (version) => void (isRetained(version) && isVisible(version, step) && found.push(version)));
      return found;
    },
  };
}
