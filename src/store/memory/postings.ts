import type { FieldTerm, Revision } from '../contract.js';
import { isVisible, type Version } from './version.js';

/** The fields with many different values. For others the answer is a large part of everything, and a scan is as good. */
const INDEXED: readonly string[] = ['regarding.name', 'regarding.uid'];
/** A value that is more frequent than this is not worth sorting its events: a scan finds a page soon. */
const FREQUENT = 8192;
const SWEEP_FROM = 16;

/** Versions that share a value: those that are the newest of their key, and superseded ones that history still shows. */
interface Posting {
  current: Version[];
  currentDead: number;
  past: Version[];
  pastDead: number;
}

/** Which versions carry a value in an indexed field. Entries are marked dead by their versions, and swept by halves. */
export interface Postings {
  add(version: Version): void;
  /** The version got a newer one (`version.newer` is set), history still shows it. */
  supersede(version: Version): void;
  /** The version is not readable any more (`version.reclaimed` is set). */
  drop(version: Version): void;
  /**
   * The versions visible at `revision` that have the value of one of the terms, in no order; `undefined` when no term
   * narrows enough, then everything has to be looked at.
   */
  find(terms: readonly FieldTerm[], revision: Revision, latest: Revision): readonly Version[] | undefined;
}

const isCurrent = (version: Version): boolean => version.newer === undefined;
const isRetained = (version: Version): boolean => !version.reclaimed;

/** Makes empty postings. */
export function createPostings(): Postings {
  const fields = INDEXED.map((field) => ({ field, values: new Map<string, Posting>() }));

  const each = (version: Version, visit: (posting: Posting) => void, create: boolean): void => {
    for (const { field, values } of fields) {
      const value = version.record?.event.fields[field];
      if (value === undefined || value === '') continue;
      let posting = values.get(value);
      if (posting === undefined) {
        if (!create) continue;
        values.set(value, (posting = { current: [], currentDead: 0, past: [], pastDead: 0 }));
      }
      visit(posting);
      if (posting.current.length === posting.currentDead && posting.past.length === posting.pastDead) {
        values.delete(value);
      }
    }
  };

  const supersede = (posting: Posting): void => {
    posting.currentDead++;
    if (posting.current.length < SWEEP_FROM || posting.currentDead * 2 < posting.current.length) return;
    posting.current = posting.current.filter(isCurrent);
    posting.currentDead = 0;
  };

  const drop = (posting: Posting): void => {
    posting.pastDead++;
    if (posting.past.length < SWEEP_FROM || posting.pastDead * 2 < posting.past.length) return;
    posting.past = posting.past.filter(isRetained);
    posting.pastDead = 0;
  };

  return {
    add: (version) => each(version, (posting) => void posting.current.push(version), true),
    supersede: (version) =>
      each(
        version,
        (posting) => {
          posting.past.push(version);
          supersede(posting);
        },
        false,
      ),
    drop: (version) => each(version, drop, false),
    find(terms, revision, latest) {
      let best: Posting | undefined;
      let fewest = FREQUENT;
      for (const term of terms) {
        const values = fields.find(({ field }) => field === term.field)?.values;
        if (values === undefined || term.value === '') continue;
        const posting = values.get(term.value);
        if (posting === undefined) return [];
        // The newest state needs no superseded versions.
        const length = posting.current.length + (revision === latest ? 0 : posting.past.length);
        if (length > fewest) continue;
        fewest = length;
        best = posting;
      }
      if (best === undefined) return undefined;
      const current = best.current.filter((version) => isCurrent(version) && version.revision <= revision);
      if (revision === latest) return current;
      return current.concat(best.past.filter((version) => isRetained(version) && isVisible(version, revision)));
    },
  };
}
