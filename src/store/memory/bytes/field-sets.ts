import { createBoundedCache, type BoundedCache } from '../../../cache/bounded-cache.js';
import type { EncodedEvent } from '../../contract/record.js';
import { HEAP_COST, textCost, textsCost, ownText } from '../accounting/heap-cost.js';
import type { HeldPart } from '../accounting/held-parts.js';
import { MAX_LENGTH, MAX_OFFSET } from './arena-entry.js';
import { textStandsAt, type CommonBytes } from './common-bytes.js';
import { agreeInCommonFields, COMMON_FIELDS } from '../../contract/schema-facts.js';

/** Fields that an event keeps for itself. `metadata.name` is not among them: it is in the key. */
export const OWN = ['regarding.name', 'regarding.uid', 'regarding.resourceVersion'] as const;
const NAME = 'metadata.name';
const VERSION = 'regarding.resourceVersion';
/** How many sets are remembered, how long their ids may be together, and how long one may be. */
const REMEMBERED = 4096;
const RECENT = 1024;
const REMEMBERED_TEXT = 1_048_576;
const LONGEST_ID = 1024;

type Strings = Readonly<Record<string, string>>;

/** The part of fields and labels that events share. */
export interface FieldSet extends HeldPart {
  readonly fields: Strings;
  readonly labels: Strings;
  /** The event has `metadata.name`, and it is the key's. */
  readonly named: boolean;
  /** The fields in {@link OWN} are the event's own; otherwise they are in `fields`. */
  readonly split: boolean;
  /** The event has `regarding.resourceVersion`, and it can be read from the bytes. */
  readonly versioned: boolean;
  /** The uid, where it cannot be read from the bytes. */
  readonly uid: string | undefined;
  readonly tables: StoreTables;
}

/** The tables of a store, which its events refer to through their sets. */
export interface StoreTables {
  readonly commonBytes: readonly CommonBytes[];
  /**
   * The fields that were read last, as objects. Creating one takes 1 µs, and a thousand watchers read the same few events.
   */
  readonly recent: BoundedCache<object, Strings>;
}

const NO_LABELS: Strings = Object.freeze(Object.create(null) as Record<string, string>);

function capture(source: Strings): Strings {
  // Both ways define own properties, so that a key `__proto__` stays plain data.
  const bare = Object.getPrototypeOf(source) === null;
  const copy: Record<string, string> = bare ? Object.assign(Object.create(null) as object, source) : { ...source };
  for (const name in copy) copy[name] = ownText(copy[name] as string);
  return Object.freeze(copy);
}

/** True when the header of an event can tell where `regarding.resourceVersion` stands in its bytes. */
function isInBytes({ bytes, hints }: EncodedEvent, version: string): boolean {
  if (hints === undefined || hints.regardingVersion > MAX_OFFSET || version.length > MAX_LENGTH) return false;
  return textStandsAt(bytes, hints.regardingVersion, version);
}

/** How many of {@link COMMON_FIELDS} an event has. */
function countCommon(fields: Strings): number {
  let count = 0;
  for (const field of COMMON_FIELDS) if (fields[field]) count++;
  return count;
}

/**
 * True when the fields are as the library makes them: known names, values that are not empty, the key's name. `common`: how
 * many of {@link COMMON_FIELDS} it has. The others have constant names here, because every write comes here.
 */
function isUsual(event: EncodedEvent, name: string, common: number): boolean {
  const { fields } = event;
  let known = common;
  if (fields['regarding.name']) known++;
  if (fields['regarding.uid']) known++;
  const version = fields[VERSION];
  if (version) known++;
  if (fields[NAME] !== undefined) {
    if (fields[NAME] !== name) return false;
    known++;
  }
  if (version && !isInBytes(event, version)) return false;
  return Object.keys(fields).length === known;
}

function commonOf(fields: Strings): Strings {
  const common: Record<string, string> = {};
  for (const field of COMMON_FIELDS) {
    const value = fields[field];
    if (value) common[field] = ownText(value);
  }
  return Object.freeze(common);
}

/** A text that is equal for equal sets, and for no others. */
function idOf({ fields, labels }: EncodedEvent, labelNames: readonly string[]): string {
  let id = `${fields[NAME] === undefined ? '' : 'n'}${fields[VERSION] ? 'v' : ''}`;
  for (const field of COMMON_FIELDS) {
    const value = fields[field];
    id += value ? `${value.length}:${value}` : '-';
  }
  for (const label of labelNames) {
    const value = labels[label] as string;
    id += `${label.length}:${label}${value.length}:${value}`;
  }
  return id;
}

/** The set of the last event, with the data to check whether the next event belongs to it. */
interface LastSet {
  readonly set: FieldSet;
  readonly labelNames: readonly string[];
  readonly common: number;
}

/** Whether an event belongs to this set if it {@link isUsual}: the same answer as that of two equal ids, at less cost. */
function belongs({ fields, labels }: EncodedEvent, { set, labelNames }: LastSet): boolean {
  if (
    set.named !== (fields[NAME] !== undefined) ||
    set.versioned !== (fields[VERSION] !== undefined) ||
    !agreeInCommonFields(fields, set.fields) ||
    labelNames.length !== Object.keys(labels).length
  ) {
    return false;
  }
  for (const label of labelNames) if (labels[label] !== set.labels[label]) return false;
  return true;
}

/** The names of fields are the library's own, and not counted. */
function costOf(fields: Strings, labels: Strings): number {
  let cost = HEAP_COST.fieldSet + textsCost(labels);
  for (const name in fields) cost += textCost(fields[name] as string);
  return cost;
}

/**
 * Fields and labels as an object each would be 230 bytes of an event, as a set that is shared 8. The table of sets is of
 * bounded size, and events keep the sets they have.
 */
export function createFieldSets(commonBytes: readonly CommonBytes[]) {
  const tables: StoreTables = { commonBytes, recent: createBoundedCache({ maxEntries: RECENT }) };
  const sets = createBoundedCache<string, FieldSet>({
    maxEntries: REMEMBERED,
    maxCost: REMEMBERED_TEXT,
    costOf: (id) => id.length,
  });
  /** The set of the last event. The next event mostly has the same, which is checked without an id. */
  let last: LastSet | undefined;

  return {
    /** The set for an event with this name. `uid`: keep the uid as well. */
    of(event: EncodedEvent, name: string, uid: boolean): FieldSet {
      const { fields, labels } = event;
      const kept = { uid: uid ? event.uid : undefined, tables, users: 0, current: 0 };
      const likeLast = last !== undefined && belongs(event, last) ? last : undefined;
      const common = likeLast?.common ?? countCommon(fields);
      if (!isUsual(event, name, common)) {
        const own = { fields: capture(fields), labels: capture(labels) };
        return { ...own, ...kept, named: false, split: false, versioned: false, cost: costOf(own.fields, own.labels) };
      }
      if (likeLast !== undefined && !uid) return likeLast.set;
      const labelNames = Object.keys(labels);
      const id = idOf(event, labelNames);
      const known = sets.get(id);
      if (known !== undefined && !uid) {
        last = { set: known, labelNames, common };
        return known;
      }
      const shared = known?.fields ?? commonOf(fields);
      const own = known?.labels ?? (labelNames.length === 0 ? NO_LABELS : capture(labels));
      const set: FieldSet = {
        ...kept,
        fields: shared,
        labels: own,
        named: fields[NAME] !== undefined,
        split: true,
        versioned: fields[VERSION] !== undefined,
        cost: known === undefined ? costOf(shared, own) : HEAP_COST.fieldSet,
      };
      if (!uid && id.length <= LONGEST_ID) sets.set(id, set);
      return set;
    },
  };
}

/** The fields of an event that has this (split) set, this name and these values of {@link OWN}, as a frozen object. */
export function fieldsOf(set: FieldSet, name: string, own: readonly (string | undefined)[]): Strings {
  const fields: Record<string, string> = { ...set.fields };
  if (set.named) fields[NAME] = name;
  OWN.forEach((field, index) => {
    const value = own[index];
    if (value !== undefined) fields[field] = value;
  });
  return Object.freeze(fields);
}
