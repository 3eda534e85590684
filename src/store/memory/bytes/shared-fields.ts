import { createBoundedCache } from '../../../cache/bounded-cache.js';
import { ownText } from '../../../cache/own-text.js';
import type { EncodedEvent } from '../../contract/record.js';
import { HEAP_COST, textCost, textsCost } from '../accounting/heap-cost.js';
import type { HeldPart } from '../accounting/held-parts.js';
import { MAX_LENGTH, MAX_OFFSET } from './arena-entry.js';
import { textMatchesAt, type CommonBytes } from './common-bytes.js';
import { COMMON_FIELDS } from '../../contract/schema-facts.js';

/** Fields stored with each event, not in a shared set. `metadata.name` is not among them: it is in the key. */
export const OWN = ['regarding.name', 'regarding.uid', 'regarding.resourceVersion'] as const;
const NAME = 'metadata.name';
const VERSION = 'regarding.resourceVersion';
/** The maximum number of cached sets, and the maximum length of all ids and of one. */
const REMEMBERED = 4096;
const REMEMBERED_TEXT = 1_048_576;
const MAX_ID_LENGTH = 1024;

type Strings = Readonly<Record<string, string>>;

/** The part of fields and labels that events share. */
export interface SharedFields extends HeldPart {
  readonly fields: Strings;
  readonly labels: Strings;
  /** The event has `metadata.name`, and it equals the name in the key. */
  readonly named: boolean;
  /** The fields in {@link OWN} are the event's own; otherwise they are in `fields`. */
  readonly split: boolean;
  /** The event has `regarding.resourceVersion`, and it can be read from the bytes. */
  readonly versioned: boolean;
  /** The uid, where it cannot be read from the bytes. */
  readonly uid: string | undefined;
  /** The table of the store. */
  readonly commonBytes: readonly CommonBytes[];
}

const NO_LABELS: Strings = Object.freeze(Object.create(null) as Record<string, string>);

function capture(source: Strings): Strings {
  // Both ways define own properties, so that a key `__proto__` stays plain data.
  const bare = Object.getPrototypeOf(source) === null;
  const copy: Record<string, string> = bare ? Object.assign(Object.create(null) as object, source) : { ...source };
  for (const name in copy) copy[name] = ownText(copy[name] as string);
  return Object.freeze(copy);
}

/** True when the header of an event can store where `regarding.resourceVersion` occurs in its bytes. */
function isInBytes({ bytes, hints }: EncodedEvent, version: string): boolean {
  if (hints === undefined || hints.regardingVersion > MAX_OFFSET || version.length > MAX_LENGTH) return false;
  return textMatchesAt(bytes, hints.regardingVersion, version);
}

/** Whether the fields are as the library creates them. */
function isUsual(event: EncodedEvent, name: string): boolean {
  const { fields } = event;
  let known = 0;
  for (const field of COMMON_FIELDS) if (fields[field]) known++;
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

/** Returns a string that is equal for equal sets only. */
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

export function areEqual(one: Strings, other: Strings): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Returns the memory of fields and labels in bytes. Field names are constants of the library, and not counted. */
export function costOf(fields: Strings, labels: Strings): number {
  let cost = HEAP_COST.fieldSet + textsCost(labels);
  for (const name in fields) cost += textCost(fields[name] as string);
  return cost;
}

/**
 * Creates the table of shared sets. Fields and labels as one object each would take 230 bytes per event, a reference to
 * a shared set takes 8. The size of the table is bounded; a set that left it stays in memory while events refer to it.
 */
export function createSharedFields(commonBytes: readonly CommonBytes[]) {
  const sets = createBoundedCache<string, SharedFields>({
    maxEntries: REMEMBERED,
    maxCost: REMEMBERED_TEXT,
    costOf: (id) => id.length,
  });

  return {
    /** Returns the set for an event with this name. `uid`: the set has to store the uid as well. */
    of(event: EncodedEvent, name: string, uid: boolean): SharedFields {
      const { fields, labels } = event;
      const kept = { uid: uid ? event.uid : undefined, commonBytes, users: 0, current: 0 };
      if (!isUsual(event, name)) {
        const own = { fields: capture(fields), labels: capture(labels) };
        return { ...own, ...kept, named: false, split: false, versioned: false, cost: costOf(own.fields, own.labels) };
      }
      const labelNames = Object.keys(labels);
      const id = idOf(event, labelNames);
      const known = sets.get(id);
      if (known !== undefined && !uid) return known;
      const shared = known?.fields ?? commonOf(fields);
      const own = known?.labels ?? (labelNames.length === 0 ? NO_LABELS : capture(labels));
      const set: SharedFields = {
        ...kept,
        fields: shared,
        labels: own,
        named: fields[NAME] !== undefined,
        split: true,
        versioned: fields[VERSION] !== undefined,
        cost: known === undefined ? costOf(shared, own) : HEAP_COST.fieldSet,
      };
      if (!uid && id.length <= MAX_ID_LENGTH) sets.set(id, set);
      return set;
    },
  };
}

/** The fields of an event, frozen. `set`: its set, a split one; `own`: its values of {@link OWN}. */
export function joinFields(set: SharedFields, name: string, own: readonly (string | undefined)[]): Strings {
  const fields: Record<string, string> = { ...set.fields };
  if (set.named) fields[NAME] = name;
  OWN.forEach((field, index) => {
    const value = own[index];
    if (value !== undefined) fields[field] = value;
  });
  return Object.freeze(fields);
}
