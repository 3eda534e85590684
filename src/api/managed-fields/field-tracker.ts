import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import type { StructShape } from '../schema/shape.js';
import { structOf } from '../schema/compile.js';
import { createCreatedEntries, type CreatedEntries } from './created-entries.js';
import { createEntryLists } from './entry-lists.js';
import { createNewObjectFields, type NewObjectFields } from './new-object-fields.js';
import type { ManagedVersion } from './tracked-object.js';
import { createUpdateMemory, type UpdateMemory } from './update-memory.js';
import { isReset, updateManagedFields, type UpdateManagedFieldsInput } from './update-managed-fields.js';

/** The managed fields of an object after a write. */
export interface TrackedFields {
  /** Empty: the object carries none. Not to be changed: other objects may have the same ones. */
  readonly entries: readonly ManagedFieldsEntry[];
  /** The entries as JSON, where it is known already. */
  readonly json?: string | undefined;
}

/** Does what `updateManagedFields` does, and remembers. */
export interface FieldTracker {
  track(input: UpdateManagedFieldsInput): TrackedFields;
  /**
   * The entries with this JSON, as a stored object has them; to be tracked faster than others. Not to be changed.
   * Undefined for a text that is no list in JSON.
   */
  entriesOf(json: string): readonly ManagedFieldsEntry[] | undefined;
}

/** What is remembered of one version. */
interface Remembered {
  readonly shape: StructShape;
  readonly newFields: NewObjectFields;
  readonly update: UpdateMemory;
  readonly created: CreatedEntries;
}

/**
 * Makes a tracker with a memory of its own, bounded to a few megabytes. What it does not know it computes the plain way,
 * with the same result.
 */
export function createFieldTracker(): FieldTracker {
  const versions = new Map<StructShape, Remembered>();
  const lists = createEntryLists();

  const rememberedOf = (version: ManagedVersion): Remembered => {
    let remembered = versions.get(version.shape);
    if (!remembered) {
      const shape = withoutManagedFields(version.shape);
      const newFields = createNewObjectFields(shape, version.fieldsPresent);
      remembered = { shape, newFields, update: createUpdateMemory(lists), created: createCreatedEntries(version) };
      versions.set(version.shape, remembered);
    }
    return remembered;
  };

  const quickly = (input: UpdateManagedFieldsInput): TrackedFields | undefined => {
    const { live, next, stored = [], sent, manager, time } = input;
    const { shape, newFields, update, created } = rememberedOf(input.version);
    if (live) return update(input, live, shape);
    if (sent ? !isReset(sent) : stored.length > 0) return undefined;
    const fields = newFields(next);
    return fields.json === '{}' ? NOBODY : created(manager, fields, time);
  };

  return {
    track: (input) => quickly(input) ?? { entries: updateManagedFields(input) },
    entriesOf: (json) => lists.parse(json)?.entries,
  };
}

const NOBODY: TrackedFields = Object.freeze({ entries: Object.freeze([]), json: '[]' });

/** Managed fields say nothing about themselves. */
function withoutManagedFields(shape: StructShape): StructShape {
  const fields = shape.fields.map((field) => {
    if (field.name !== 'metadata' || field.shape.kind !== 'struct') return field;
    const rest = field.shape.fields.filter(({ name }) => name !== 'managedFields');
    return { ...field, shape: structOf(field.shape, rest) };
  });
  return structOf(shape, fields);
}
