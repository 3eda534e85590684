import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { sameTree } from '../../json/json-tree.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { findUnprintable } from '../../json/go-print.js';
import { byteLength } from '../../json/utf8.js';
import { utf8Value } from '../../http/headers.js';
import { type FieldSet, union, fromFieldsV1, toFieldsV1 } from './field-set.js';

export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds. Absent for a manager that never changed the object (its apply had no effect). */
  readonly time?: string | undefined;
  readonly fields: FieldSet;
}

/** By {@link managerId}. */
export type Managers = ReadonlyMap<string, Manager>;

/** The id that the entries of one manager share. Kubernetes sorts conflicts by it, so it is written as there. */
export function managerId(manager: Omit<Manager, 'fields' | 'time'>): string {
  const { name, operation, apiVersion, subresource } = manager;
  return JSON.stringify({
    manager: name || undefined,
    operation,
    apiVersion: operation === 'Update' ? apiVersion : undefined,
    subresource: subresource || undefined,
  });
}

/** The managers of a list of entries; undefined if Kubernetes could not read an entry. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[]): Managers | undefined {
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const { operation, apiVersion, manager: name = '', subresource = '', time } = entry;
    if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion) return undefined;
    if (entry.fieldsType !== 'FieldsV1') return undefined;
    const fields = fromFieldsV1(entry.fieldsV1);
    if (!fields) return undefined;
    const manager: Manager = { name, operation, apiVersion, subresource, time, fields };
    managers.set(managerId(manager), manager);
  }
  return managers;
}

/** The entries of managers: applies before updates, older before newer. */
export function encodeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(inOrder).map((manager) => encodeEntry(manager, toFieldsV1(manager.fields)));
}

export function encodeEntry(manager: Omit<Manager, 'fields'>, fieldsV1: unknown): ManagedFieldsEntry {
  const { name, operation, apiVersion, time, subresource } = manager;
  const entry: ManagedFieldsEntry = {};
  if (name) entry.manager = name;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = fieldsV1;
  if (subresource) entry.subresource = subresource;
  return entry;
}

export function inOrder(left: Omit<Manager, 'fields'>, right: Omit<Manager, 'fields'>): number {
  return (
    byCodePoint(left.operation, right.operation) ||
    seconds(left.time) - seconds(right.time) ||
    byCodePoint(left.name, right.name) ||
    byCodePoint(left.apiVersion, right.apiVersion) ||
    byCodePoint(left.subresource, right.subresource)
  );
}

function seconds(time: string | undefined): number {
  return time ? Math.floor(Date.parse(time) / 1000) : 0;
}

/** The stored entries if only times differ, because a write that changes nothing else must leave the same bytes. */
export function withStoredTimes(
  entries: ManagedFieldsEntry[],
  stored: readonly ManagedFieldsEntry[],
): ManagedFieldsEntry[] {
  if (entries.length !== stored.length) return entries;
  const timeless = (entry: ManagedFieldsEntry | undefined): unknown => ({ ...entry, time: undefined });
  const same = entries.every((entry, index) => sameTree(timeless(entry), timeless(stored[index])));
  return same ? stored.map((entry) => ({ ...entry })) : entries;
}

const MAX_UPDATERS = 10;
/** The manager into whose entry the oldest ones are merged. */
const ANCIENT = 'ancient-changes';

/** Merges the oldest entries of updates into one, if there are more than ten. Entries of applies are never merged. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(([one, left], [other, right]) => seconds(left.time) - seconds(right.time) || byCodePoint(one, other));
  const capped = new Map(managers);
  const [oldest, ...others] = updaters as [[string, Manager], ...[string, Manager][]];
  const { apiVersion } = oldest[1];
  const ancient = { name: ANCIENT, operation: 'Update', apiVersion, subresource: '' } as const;
  const bucket = managerId(ancient);
  const kept = capped.get(bucket);
  const surplus = others.filter(([id]) => id !== bucket).slice(0, updaters.length - MAX_UPDATERS);
  const folded = [kept ?? oldest[1], ...surplus.map(([, manager]) => manager)];
  if (!kept) capped.delete(oldest[0]);
  for (const [id] of surplus) capped.delete(id);
  // The time of the latest merged entry.
  const time = folded.at(-1)?.time;
  capped.set(bucket, { ...ancient, time, fields: union(folded.map(({ fields }) => fields)) });
  return capped;
}

const MAX_NAME_BYTES = 128;
const MAX_AGENT_LENGTH = 4_096;

/** The `fieldManager`, or the part of the User-Agent before its first slash (printable, at most 128 bytes). */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  return fieldManager || clientName(userAgent ?? '') || 'unknown';
}

/** Fast path: a short name in printable ASCII. */
const PLAIN = /^([ -.0-~]{0,128})(?:\/|$)/;

function clientName(userAgent: string): string {
  const plain = PLAIN.exec(userAgent)?.[1];
  if (plain !== undefined) return plain;
  let name = '';
  let bytes = 0;
  for (const character of utf8Value(userAgent.split('/', 1)[0] ?? '').slice(0, MAX_AGENT_LENGTH)) {
    if (findUnprintable(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    name += character;
  }
  return name;
}
