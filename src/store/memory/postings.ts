import type { FieldTerm } from '../contract.js';
import { createShardedMap, type ShardedMap } from './sharded-map.js';
import { StoredEvent } from './stored-event.js';
import { each, put, sweep, sweepList, type SweepList } from './sweep-list.js';
import { isVisible, type Version } from './version.js';

/** The fields with many different values. For others the answer is a large part of everything, and a scan is as good. */
const INDEXED: readonly string[] = ['regarding.name', 'regarding.uid'];
/** A value that is more frequent than this is not worth sorting its events: a scan finds a page soon. */
const FREQUENT = 8192;

/** Versions that share a value: those that are the newest of their key, and superseded ones that history still shows. */
interface Posting {
  readonly value: string;
  readonly current: SweepList<Version>;
  past: SweepList<Version> | undefined;
}

interface Field {
  readonly field: string;
  readonly values: ShardedMap<Posting>;
  /** What was interned last: the next to be added, so that a write looks into a large cold map once and not twice. */
  last: Posting | undefined;
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
const isEmpty = ({ current, past }: Posting): boolean =>
  current.size === current.dead && (past === undefined || past.size === past.dead);

/** Makes empty postings. */
export function createPostings(): Postings {
  const fields: Field[] = INDEXED.map((field) => ({ field, values: createShardedMap<Posting>(), last: undefined }));
  const valuesOf = (name: string): ShardedMap<Posting> | undefined =>
    fields.find(({ field }) => field === name)?.values;

  const eachOf = (version: Version, visit: (posting: Posting) => void): void => {
    for (const field of fields) {
      const { values } = field;
      const value = version.event === undefined ? '' : StoredEvent.field(version.event, field.field);
      const posting = value === '' ? undefined : values.get(value);
      if (posting === undefined) continue;
      visit(posting);
      if (!isEmpty(posting)) continue;
      values.delete(value);
      field.last = undefined;
    }
  };

  const supersede = (version: Version, posting: Posting): void => {
    if (posting.past === undefined) posting.past = sweepList(version);
    else put(posting.past, version);
    posting.current.dead++;
    sweep(posting.current, isCurrent);
  };

  const drop = ({ past }: Posting): void => {
    if (past === undefined) return;
    past.dead++;
    sweep(past, isRetained);
  };

  return {
    intern(name, value) {
      if (value === undefined) return undefined;
      const field = fields.find(({ field: known }) => known === name);
      const posting = field?.values.get(value);
      if (field === undefined || posting === undefined) return value;
      field.last = posting;
      return posting.value;
    },
    add(version) {
      for (const field of fields) {
        const value = version.event === undefined ? '' : StoredEvent.field(version.event, field.field);
        if (value === '') continue;
        const posting = field.last?.value === value ? field.last : field.values.get(value);
        if (posting === undefined) field.values.set(value, { value, current: sweepList(version), past: undefined });
        else put(posting.current, version);
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
        const size = posting.current.size + (step === latest ? 0 : (posting.past?.size ?? 0));
        if (size > fewest) continue;
        fewest = size;
        best = posting;
      }
      if (best === undefined) return undefined;
      const found: Version[] = [];
      each(best.current, (version) => void (isCurrent(version) && version.step <= step && found.push(version)));
      if (step === latest) return found;
      each(best.past, (version) => void (isRetained(version) && isVisible(version, step) && found.push(version)));
      return found;
    },
  };
}
