import type { FieldTerm } from '../../contract.js';
import { HEAP_COST, textCost } from '../accounting/heap-cost.js';
import { ownText } from '../bytes/own-text.js';
import { createShardedMap, type ShardedMap } from './sharded-map.js';
import { StoredEvent } from '../bytes/stored-event.js';
import { each, put, sweep, type SweepList } from './sweep-list.js';
import { visibleVersion, type Slot, type Version } from './version.js';

/** The fields with many different values. For others the answer is a large part of everything, and a scan is as good. */
const INDEXED: readonly string[] = ['regarding.name', 'regarding.uid'];
/** A value that is more frequent than this is not worth sorting its events: a scan finds a page soon. */
const FREQUENT = 8192;
/** So many keys are looked at to see how many still have the value. */
const LOOKED = 16_384;

/**
 * The keys of which a readable version has a value. They are kept, not their versions, because an update mostly leaves the
 * value as it is, and then nothing has to be done.
 */
interface Posting extends SweepList<Slot> {
  readonly value: string;
  /**
   * A key in here may have another value in one of its versions, or be in here twice: it got another value and this one
   * again. Where no key ever did, which is nearly everywhere, the events need not be looked at: two cache misses for each.
   */
  mixed: boolean;
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

/** Which keys carry a value in an indexed field, or did in a state that can still be read. */
export interface Postings {
  /** The text under which a value is known here, or the value itself: equal values should be one text in memory. */
  intern(field: string, value: string | undefined): string | undefined;
  /** The version is the newest one of its slot. */
  put(version: Version): void;
  /** The version is not readable any more; `next` was the one that came after it, and is the oldest of its slot now. */
  reclaim(version: Version, next: Version): void;
  /**
   * The versions visible at `step` that have the value of one of the terms, in no order; `undefined` when no term narrows
   * enough, then everything has to be looked at.
   */
  find(terms: readonly FieldTerm[], step: number): readonly Version[] | undefined;
  /** What the values take in memory, in bytes. */
  held(): number;
}

/** Then it is, or will be at once, forgotten: it is never used again. */
const isEmpty = ({ size, dead }: Posting): boolean => size === dead;

const valueOf = (version: Version | undefined, field: string): string =>
  version?.event === undefined ? '' : StoredEvent.field(version.event, field);

/** True when a readable version of the slot has the value. */
function carries({ head }: Slot, field: string, value: string): boolean {
  for (let version: Version | undefined = head; version !== undefined; version = version.older) {
    if (valueOf(version, field) === value) return true;
  }
  return false;
}

const costOf = (value: string): number => HEAP_COST.posting + textCost(value);

/** Makes empty postings. */
export function createPostings(): Postings {
  let held = 0;
  const fields: Field[] = INDEXED.map((field) => ({
    field,
    values: createShardedMap<Posting>(),
    last: undefined,
    missing: undefined,
  }));

  const drop = (field: Field, value: string): void => {
    const posting = field.values.get(value);
    if (posting === undefined) return;
    posting.dead++;
    sweep(posting, (slot) => carries(slot, field.field, value));
    field.last = posting;
    if (!isEmpty(posting)) return;
    field.values.delete(value);
    held -= costOf(value);
    field.last = undefined;
  };

  const add = (field: Field, value: string, slot: Slot): Posting => {
    const { last, values } = field;
    let posting = last !== undefined && last.value === value ? last : undefined;
    if (posting === undefined && field.missing !== value) posting = values.get(value);
    if (posting !== undefined) {
      put(posting, slot);
      return posting;
    }
    posting = { tail: [slot], full: undefined, size: 1, dead: 0, value, mixed: false, mate: undefined };
    values.set(value, posting);
    held += costOf(value);
    field.missing = undefined;
    return posting;
  };

  /** A key's newest event does not have the value that the one before it had. */
  const leave = ({ values }: Field, left: string): void => {
    const posting = left === '' ? undefined : values.get(left);
    if (posting !== undefined) posting.mixed = true;
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
      const own = ownText(value);
      field.missing = own;
      return own;
    },
    put(version) {
      const { slot, older } = version;
      // Before a tombstone stands an event: who forgets that one forgets the slot.
      const last = older !== undefined && older.event === undefined ? older.older : older;
      let before: Posting | undefined;
      for (const field of fields) {
        const value = valueOf(version, field.field);
        const left = valueOf(last, field.field);
        if (left !== value && version.event !== undefined) leave(field, left);
        if (value === '' || (left === value && last === older)) continue;
        const posting = add(field, value, slot);
        posting.mixed ||= older !== undefined;
        if (before !== undefined && before.mate !== posting) before.mate = posting;
        before = posting;
      }
    },
    reclaim(version, next) {
      for (const field of fields) {
        const value = valueOf(version, field.field);
        if (value !== '' && valueOf(next, field.field) !== value) drop(field, value);
      }
    },
    held: () => held,
    find(terms, step) {
      let best: Posting | undefined;
      let bestField = '';
      let fewest = LOOKED;
      for (const term of terms) {
        const values = fields.find(({ field }) => field === term.field)?.values;
        if (values === undefined || term.value === '') continue;
        const posting = values.get(term.value);
        if (posting === undefined) return [];
        if (posting.size > fewest) continue;
        fewest = posting.size;
        best = posting;
        bestField = term.field;
      }
      if (best === undefined) return undefined;
      const { value, mixed } = best;
      const found: Version[] = [];
      each(best, (slot) => {
        const version = visibleVersion(slot, step);
        if (version !== undefined && (!mixed || valueOf(version, bestField) === value)) found.push(version);
      });
      if (found.length > FREQUENT) return undefined;
      return mixed ? [...new Set(found)] : found;
    },
  };
}
