import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import type { StructShape } from '../schema/shape.js';
import { structOf } from '../schema/compile.js';
import { encodeEntry, inOrder } from './managers.js';
import { createNewObjectFields, type NewObjectFields } from './new-object-fields.js';
import type { ManagedVersion } from './tracked-object.js';
import { createUpdateMemory, type KeptManager, type UpdateMemory } from './update-memory.js';
import { isReset, updateManagedFields, type UpdateManagedFieldsInput } from './update-managed-fields.js';

/** The managed fields of an object after a write. */
export interface TrackedFields {
  /** Empty: the object carries none. They may share frozen parts with those of other objects. */
  readonly entries: readonly ManagedFieldsEntry[];
  /** The entries as JSON, where it is known already. */
  readonly json?: string | undefined;
}

/** Does what `updateManagedFields` does, and remembers. */
export interface FieldTracker {
  track(input: UpdateManagedFieldsInput): TrackedFields;
}

/** What is remembered of one version. */
interface Remembered {
  readonly shape: StructShape;
  readonly newFields: NewObjectFields;
  readonly update: UpdateMemory;
}

/** With more updaters than this the oldest are folded together: rare enough to be done the plain way. */
const MAX_ENTRIES = 9;

/**
 * Makes a tracker with a memory of its own, bounded to a few megabytes. What it does not know it computes the plain way,
 * with the same result.
 */
export function createFieldTracker(): FieldTracker {
  const versions = new Map<StructShape, Remembered>();

  const rememberedOf = (version: ManagedVersion): Remembered => {
    let remembered = versions.get(version.shape);
    if (!remembered) {
      const shape = withoutManagedFields(version.shape);
      remembered = { shape, newFields: createNewObjectFields(shape), update: createUpdateMemory() };
      versions.set(version.shape, remembered);
    }
    return remembered;
  };

  const quickly = (input: UpdateManagedFieldsInput): readonly KeptManager[] | undefined => {
    const { version, live, next, stored = [], sent, manager: name, time } = input;
    const { shape, newFields, update } = rememberedOf(version);
    if (live) {
      const entries = sent ?? stored;
      if (entries.length === 0 || entries.length > MAX_ENTRIES || (sent && isReset(sent))) return undefined;
      return update({ version, shape, live, next, entries, manager: name, time });
    }
    if (sent ? !isReset(sent) : stored.length > 0) return undefined;
    const { apiVersion } = version;
    const fields = newFields(next);
    if (fields.json === '{}') return [];
    return [{ manager: { name, operation: 'Update', apiVersion, subresource: '', time }, fields }];
  };

  return {
    track(input) {
      const managers = quickly(input);
      if (!managers) return { entries: updateManagedFields(input) };
      const sorted = [...managers].sort((one, other) => inOrder(one.manager, other.manager));
      return {
        entries: sorted.map(({ manager, fields }) => encodeEntry(manager, fields.fieldsV1)),
        json: `[${sorted.map(entryJson).join(',')}]`,
      };
    },
  };
}

function entryJson({ manager, fields }: KeptManager): string {
  const { name, operation, apiVersion, time, subresource } = manager;
  const head = JSON.stringify({
    manager: name || undefined,
    operation,
    apiVersion,
    time: time || undefined,
    fieldsType: 'FieldsV1',
  });
  const tail = subresource ? `,"subresource":${JSON.stringify(subresource)}` : '';
  return `${head.slice(0, -1)},"fieldsV1":${fields.json}${tail}}`;
}

/** Managed fields say nothing about themselves. */
function withoutManagedFields(shape: StructShape): StructShape {
  const fields = shape.fields.map((field) => {
    if (field.name !== 'metadata' || field.shape.kind !== 'struct') return field;
    const rest = field.shape.fields.filter(({ name }) => name !== 'managedFields');
    return { ...field, shape: structOf(field.shape, rest) };
  });
  return structOf(shape, fields);
}
