import { decodeObject } from '../../../../src/api/decode/decode-object.js';
import { applyManagedFields } from '../../../../src/api/managed-fields/apply-managed-fields.js';
import type { ManagedVersion } from '../../../../src/api/managed-fields/tracked-object.js';
import { updateManagedFields } from '../../../../src/api/managed-fields/update-managed-fields.js';
import { isStatusFailure, type StatusFailure } from '../../../../src/api/status/status-failure.js';
import { coreEventShape, eventShape } from '../../../../src/events/resource/schema.js';
import type { ManagedFieldsEntry } from '../../../../src/model/object-meta.js';

export type Json = Record<string, unknown>;

export const GV = 'events.example.com/v1';
export const version: ManagedVersion = { apiVersion: GV, kind: 'Event', shape: eventShape() };
export const coreVersion: ManagedVersion = { apiVersion: 'v1', kind: 'Event', shape: coreEventShape() };

/** A client's object in canonical form. */
export function wire(object: Json, of: ManagedVersion = version): Json {
  const decoded = decodeObject(object, of.shape);
  if ('fault' in decoded) throw new Error(decoded.fault.text);
  return decoded.object;
}

/** One object that requests change, without a server or a store. Each request advances the time by a second. */
export interface TrackedEvent {
  object(): Json;
  entries(): ManagedFieldsEntry[];
  /** What each manager owns: `name operation` to fieldsV1. */
  owners(): Json;
  create(manager: string, object: Json, sent?: ManagedFieldsEntry[]): void;
  update(manager: string, object: Json, sent?: ManagedFieldsEntry[]): void;
  apply(manager: string, intent: Json, force?: boolean): void;
}

export function trackedEvent(of: ManagedVersion = version): TrackedEvent {
  let live: Json | undefined;
  let stored: ManagedFieldsEntry[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const time = (): string => `${new Date((now += 1000)).toISOString().slice(0, 19)}Z`;
  const update = (manager: string, object: Json, sent: ManagedFieldsEntry[] | undefined): void => {
    const next = wire(object, of);
    stored = updateManagedFields({ version: of, live, next, stored, sent, manager, time: time() });
    live = next;
  };
  return {
    object: () => live ?? {},
    entries: () => stored,
    owners: () => Object.fromEntries(stored.map((one) => [`${one.manager} ${one.operation}`, one.fieldsV1])),
    create(manager, object, sent) {
      live = undefined;
      stored = [];
      update(manager, object, sent);
    },
    update,
    apply(manager, fields, force = false) {
      const intent = { apiVersion: of.apiVersion, kind: of.kind, ...fields };
      const applied = applyManagedFields({ version: of, live, stored, intent, manager, force, time: time() });
      live = applied.object;
      stored = applied.entries;
    },
  };
}

/** The failure an action ends with. */
export function failureOf(action: () => unknown): StatusFailure {
  try {
    action();
  } catch (error) {
    if (isStatusFailure(error)) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
