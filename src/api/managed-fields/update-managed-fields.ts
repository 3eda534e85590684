import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { capUpdaters, decodeManagers, encodeManagers, withStoredTimes, type Managers } from './managers.js';
import { recordUpdate } from './record-update.js';
import { emptyObject, sameContent, untracked, type ManagedVersion, type WireObject } from './tracked-object.js';

/** A create, an update, or a patch that is not an apply. */
export interface UpdateManagedFieldsInput {
  /** The version of the request, in which `live` and `next` are written. */
  readonly version: ManagedVersion;
  /** The stored object; absent for a new one. */
  readonly live?: WireObject | undefined;
  /** The object as the client wants it, before the server carries over fields that clients cannot change. */
  readonly next: WireObject;
  /** The entries of the stored object. */
  readonly stored?: readonly ManagedFieldsEntry[] | undefined;
  /** The entries in the request's object (after a patch: in the patched document); absent for none. */
  readonly sent?: readonly ManagedFieldsEntry[] | undefined;
  /** See {@link managerOf}. */
  readonly manager: string;
  /** The current time: RFC 3339, UTC, whole seconds. */
  readonly time: string;
}

/**
 * The managed fields of an object after a write that is not an apply; an empty list means that it has none.
 *
 * A valid list from the client replaces the stored one. An empty one (or one empty entry) removes
 * all entries, and such an object stays untracked until its first apply (Kubernetes behaviour). Neither object is changed.
 */
export function updateManagedFields(input: UpdateManagedFieldsInput): ManagedFieldsEntry[] {
  const { live, stored = [], version } = input;
  const base = baseManagers(input);
  if (base.size === 0 && live) return [];
  const { manager, time } = input;
  const before = live ? untracked(live) : emptyObject(version.shape);
  const next = untracked(input.next);
  const after = recordUpdate(base, { live: before, next, manager, time, version });
  const entries = encodeManagers(capUpdaters(after));
  return live && sameContent(live, next) ? withStoredTimes(entries, stored) : entries;
}

function baseManagers({ stored = [], sent = undefined }: UpdateManagedFieldsInput): Managers {
  if (sent && isReset(sent)) return new Map();
  const given = sent && decodeManagers(sent);
  return given ?? decodeManagers(stored) ?? new Map();
}

/** An empty list, or one empty entry. */
export function isReset(sent: readonly ManagedFieldsEntry[]): boolean {
  return sent.length === 0 || (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0);
}
