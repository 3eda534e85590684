import { createBoundedCache } from '../../../cache/bounded-cache.js';
import type { EncodedEvent } from '../../record.js';
import { HEAP_COST, textCost, textsCost, ownText } from '../accounting/heap-cost.js';
import type { HeldPart } from '../accounting/held-parts.js';
import { MAX_LENGTH, MAX_OFFSET } from './arena-entry.js';
import { textStandsAt, type CommonBytes } from './common-bytes.js';
import type { RecentFields } from './recent-fields.js';
import { agreeInCommonFields, COMMON_FIELDS } from '../../schema-facts.js';

/** Fields that an event keeps for itself. `metadata.name` is not among them: it is in the key. */
export const OWN = ['regarding.name', 'regarding.uid', 'regarding.resourceVersion'] as const;
const NAME = 'metadata.name';
const VERSION = 'regarding.resourceVersion';
/** How many different sets are remembered, how long their texts may be together, and that by which one is found. */
const REMEMBERED = 4096;
const REMEMBERED_TEXT = 1_048_576;
const LONGEST_ID = 1024;

type Strings = Readonly<Record<string, string>>;

/** What events share of what selectors read. */
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

/** What all events of a store refer to, through their sets. */
export interface StoreTables {
  readonly commonBytes: readonly CommonBytes[];
  readonly recent: RecentFields;
}

/**
 * Fields and labels as an object each would be 230 bytes of an event, as a set that is shared 8. The table of sets is of
 * bounded size, and events keep the sets they have.
 */
export interface FieldSets {
  /** The set for an event with this name. `uid`: keep the uid as well. */
  of(event: EncodedEvent, name: string, uid: boolean): FieldSet;
}

const NO_LABELS: Strings = Object.freeze(Object.create(null) as Record<string, string>);

function capture(source: Strings): Strings {
  // Both ways define own properties, so that a key `__proto__` stays plain data.
  const bare = Object.getPrototypeOf(source) === null;
  const copy: Record<string, string> = bare ? Object.assign(Object.create(null) as object, source) : { ...source };
  for (const name in copy) copy[name] = ownText(copy[name] as string);
  return Object.freeze(copy);
}

/** True when the value of `regarding.resourceVersion` stands in the bytes, where the header of an event can tell. */
function isInBytes({ bytes, hints }: EncodedEvent, version: string): boolean {
  if (hints === undefined || hints.regardingVersion > MAX_OFFSET || version.length > MAX_LENGTH) return false;
  return textStandsAt(bytes, hints.regardingVersion, version);
}

/** True when the fields are as the library makes them: known names, values that are not empty, the key's name. */
function isUsual(event: EncodedEvent, name: string): boolean {
  const { fields } = event;
  let known = 0;
  for (const field of COMMON_FIELDS) if (fields[field]) known++;
  for (const field of OWN) if (fields[field]) known++;
  if (fields[NAME] !== undefined) {
    if (fields[NAME] !== name) return false;
    known++;
  }
  const version = fields[VERSION];
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

/** What the last event belonged to, with what is looked at to see whether the next does. */
interface LastSet {
  readonly set: FieldSet;
  /** How many of the fields an event of the set has in common with it. */
  readonly common: number;
  readonly labelNames: readonly string[];
}

/**
 * Whether an event {@link isUsual} and belongs to this set: the same answer as that of two equal ids. Nearly every
 * write needs no more than this.
 */
function belongs(event: EncodedEvent, { set, common, labelNames }: LastSet, name: string): boolean {
  const { fields, labels } = event;
  const version = fields['regarding.resourceVersion'];
  if (
    set.named !== (fields['metadata.name'] !== undefined) ||
    set.versioned !== Boolean(version) ||
    !agreeInCommonFields(fields, set.fields)
  ) {
    return false;
  }
  for (const label of labelNames) if (labels[label] !== set.labels[label]) return false;
  if (labelNames.length !== Object.keys(labels).length) return false;
  const own =
    (set.named ? 1 : 0) + (version ? 1 : 0) + (fields['regarding.name'] ? 1 : 0) + (fields['regarding.uid'] ? 1 : 0);
  if (Object.keys(fields).length !== common + own) return false;
  if (set.named && fields['metadata.name'] !== name) return false;
  return !version || isInBytes(event, version);
}

/** The names of fields are the library's own, and not counted. */
function costOf(fields: Strings, labels: Strings): number {
  let cost = HEAP_COST.fieldSet + textsCost(labels);
  for (const name in fields) cost += textCost(fields[name] as string);
  return cost;
}

/** Makes an empty {@link FieldSets}. */
export function createFieldSets(tables: StoreTables): FieldSets {
  const sets = createBoundedCache<string, FieldSet>({
    maxEntries: REMEMBERED,
    maxCost: REMEMBERED_TEXT,
    costOf: (id) => id.length,
  });
  /** What the last event belonged to, which mostly is what the next belongs to: looked at first, without an id. */
  let last: LastSet | undefined;

  return {
    of(event, name, uid) {
      if (last !== undefined && !uid && belongs(event, last, name)) return last.set;
      const { fields, labels } = event;
      const kept = uid ? event.uid : undefined;
      if (!isUsual(event, name)) {
        const own = { fields: capture(fields), labels: capture(labels) };
        return {
          ...own,
          named: false,
          split: false,
          versioned: false,
          uid: kept,
          tables,
          cost: costOf(own.fields, own.labels),
          users: 0,
          current: 0,
        };
      }
      const labelNames = Object.keys(labels);
      const id = idOf(event, labelNames);
      const known = sets.get(id);
      if (known !== undefined && !uid) {
        last = { set: known, common: Object.keys(known.fields).length, labelNames };
        return known;
      }
      const common = known?.fields ?? commonOf(fields);
      const own = known?.labels ?? (labelNames.length === 0 ? NO_LABELS : capture(labels));
      const set: FieldSet = {
        fields: common,
        labels: own,
        named: fields[NAME] !== undefined,
        split: true,
        versioned: fields[VERSION] !== undefined,
        uid: kept,
        tables,
        cost: known === undefined ? costOf(common, own) : HEAP_COST.fieldSet,
        users: 0,
        current: 0,
      };
      if (uid || id.length > LONGEST_ID) return set;
      sets.set(id, set);
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
