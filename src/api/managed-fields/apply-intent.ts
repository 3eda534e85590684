import { compareObjects } from './compare.js';
import type { Conflict } from './conflicts.js';
import { difference, intersection } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import { managerId, type Manager, type Managers } from './managers.js';
import { mergeIntent } from './merge.js';
import { prune } from './prune.js';
import { ofVersion } from './record-update.js';
import { stripIdentity } from './stripped-fields.js';
import { sameContent, type ManagedVersion, type WireObject } from './tracked-object.js';

/** The fields that a manager wants an object to have. */
export interface Intent {
  readonly live: WireObject;
  /** Checked against the shape; without `kind`, `apiVersion` and managed fields. */
  readonly intent: WireObject;
  readonly manager: string;
  readonly time: string;
  /** Takes fields from other owners (`force`). */
  readonly force: boolean;
  readonly version: ManagedVersion;
}

/** The object and its managers after an apply, or the conflicts. */
export type IntentOutcome =
  | { readonly conflicts: readonly Conflict[] }
  | {
      /** As merged: times and numbers may stand as the intent has them. Undefined when the apply changes nothing. */
      readonly object: WireObject | undefined;
      readonly managers: Managers;
    };

/** Merges an intent into an object, as structured-merge-diff does. */
export function applyIntent(managers: Managers, input: Intent): IntentOutcome {
  const { live, intent, version, time } = input;
  const { shape, apiVersion } = version;
  const all = ofVersion(managers, version);
  const identity = { name: input.manager, operation: 'Apply', apiVersion, subresource: '' } as const;
  const self = managerId(identity);
  const last = all.get(self);
  all.set(self, { ...identity, time: last?.time, fields: fieldsOf(intent, shape) });
  const object = prune(mergeIntent(live, intent, shape), all, last?.fields, shape);
  const { changed, removed } = compareObjects(live, object, shape);
  const conflicts: Conflict[] = [];
  const after = new Map<string, Manager>();
  for (const [id, manager] of all) {
    if (id === self) continue;
    const taken = intersection(manager.fields, changed);
    if (taken.size > 0) conflicts.push({ id, manager, fields: taken });
    const fields = difference(difference(manager.fields, taken), removed);
    if (fields.size > 0) after.set(id, { ...manager, fields });
  }
  if (conflicts.length > 0 && !input.force) return { conflicts };
  const noop = sameContent(live, object);
  const owner = all.get(self) as Manager;
  const fields = stripIdentity(owner.fields);
  // A manager that changes nothing becomes an owner as well, without a time.
  if (fields.size > 0) after.set(self, { ...owner, fields, time: noop ? owner.time : time });
  return { object: noop ? undefined : object, managers: after };
}
