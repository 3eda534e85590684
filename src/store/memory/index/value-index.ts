import { ownText } from '../../../cache/own-text.js';
import type { FieldTerm } from '../../contract/event-store.js';
import { HEAP_COST, textCost } from '../accounting/heap-cost.js';
import { createKeyTable, type KeyTable } from './key-table.js';
import { StoredEvent } from '../bytes/stored-event.js';
import { each, put, sweep, type SweepList } from './sweep-list.js';
import { visibleVersion, type Slot, type Version } from '../bytes/version.js';

/** Fields with many distinct values. For others a value matches a large part of all events, and a scan is as fast. */
const INDEXED: readonly string[] = ['regarding.name', 'regarding.uid'];
/** Above this number of matches a scan finds a page sooner than sorting the matches would. */
const FREQUENT = 8192;
/** The largest number of keys that is examined to find those that still have the value. */
const SCAN_LIMIT = 16_384;

/** The keys with a readable version that has the value: not versions, since most updates leave it unchanged. */
interface ValueEntry extends SweepList<Slot> {
  readonly value: string;
  /** True when a key may have another value in a version, or be listed twice. Otherwise `find` reads no events. */
  mixed: boolean;
}

interface Field {
  readonly field: string;
  readonly values: KeyTable<ValueEntry>;
  /** The entry used last, usually the next one to be added to: this saves each write a second lookup in a large map. */
  last: ValueEntry | undefined;
}

const valueOf = (version: Version | undefined, field: string): string =>
  version?.event === undefined ? '' : StoredEvent.field(version.event, field);

function hasValue({ head }: Slot, field: string, value: string): boolean {
  for (let version: Version | undefined = head; version !== undefined; version = version.older) {
    if (valueOf(version, field) === value) return true;
  }
  return false;
}

const costOf = (value: string): number => HEAP_COST.valueEntry + textCost(value);

/** Finds keys by the value of an indexed field, in the newest state and in every state that can still be read. */
export function createValueIndex() {
  let held = 0;
  const fields: Field[] = INDEXED.map((field) => ({
    field,
    values: createKeyTable<ValueEntry>(({ value }) => value),
    last: undefined,
  }));

  const drop = (field: Field, value: string): void => {
    const entry = field.values.get(value);
    if (entry === undefined) return;
    entry.dead++;
    sweep(entry, (slot) => hasValue(slot, field.field, value));
    field.last = entry;
    if (entry.size > entry.dead) return;
    field.values.delete(value);
    held -= costOf(value);
    field.last = undefined;
  };

  const add = (field: Field, value: string, slot: Slot): ValueEntry => {
    const { last, values } = field;
    const known = last?.value === value ? last : values.get(value);
    if (known !== undefined) {
      put(known, slot);
      return known;
    }
    const entry: ValueEntry = { tail: slot, full: undefined, size: 1, dead: 0, value, mixed: false };
    values.add(entry);
    held += costOf(value);
    return entry;
  };

  /** Marks the entry of a value that the newest event of a key no longer has. */
  const markMixed = ({ values }: Field, left: string): void => {
    const entry = left === '' ? undefined : values.get(left);
    if (entry !== undefined) entry.mixed = true;
  };

  return {
    /** The string already stored for an equal value, or a copy of the value. */
    intern(name: string, value: string | undefined): string | undefined {
      if (value === undefined) return undefined;
      const field = fields[INDEXED.indexOf(name)];
      if (field === undefined) return value;
      field.last = field.values.get(value);
      return field.last?.value ?? ownText(value);
    },
    put(version: Version): void {
      const { slot, older } = version;
      // A tombstone always follows an event; when that event is dropped, so is the whole slot.
      const last = older !== undefined && older.event === undefined ? older.older : older;
      for (const field of fields) {
        const value = valueOf(version, field.field);
        const left = valueOf(last, field.field);
        if (left !== value && version.event !== undefined) markMixed(field, left);
        if (value === '' || (left === value && last === older)) continue;
        const entry = add(field, value, slot);
        entry.mixed ||= older !== undefined;
      }
    },
    /** Removes a version that can no longer be read; `next` followed it and is now the oldest version of the slot. */
    reclaim(version: Version, next: Version): void {
      for (const field of fields) {
        const value = valueOf(version, field.field);
        if (value !== '' && valueOf(next, field.field) !== value) drop(field, value);
      }
    },
    held: (): number => held,
    /** The unordered versions at `sequence` that match the most selective term; `undefined`: none is selective. */
    find(terms: readonly FieldTerm[], sequence: number): readonly Version[] | undefined {
      let best: ValueEntry | undefined;
      let bestField = '';
      let fewest = SCAN_LIMIT;
      for (const term of terms) {
        const values = fields.find(({ field }) => field === term.field)?.values;
        if (values === undefined || term.value === '') continue;
        const entry = values.get(term.value);
        if (entry === undefined) return [];
        if (entry.size > fewest) continue;
        fewest = entry.size;
        best = entry;
        bestField = term.field;
      }
      if (best === undefined) return undefined;
      const { value, mixed } = best;
      const found: Version[] = [];
      each(best, (slot) => {
        const version = visibleVersion(slot, sequence);
        if (version !== undefined && (!mixed || valueOf(version, bestField) === value)) found.push(version);
      });
      if (found.length > FREQUENT) return undefined;
      return mixed ? [...new Set(found)] : found;
    },
  };
}
