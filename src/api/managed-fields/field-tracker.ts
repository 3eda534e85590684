import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { structOf, type StructShape } from '../schema/shape.js';
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

/** Like `updateManagedFields`, with a cache. */
export interface FieldTracker {
  track(input: UpdateManagedFieldsInput): TrackedFields;
  /**
   * The entries of a stored object with this JSON; updates of cached ones are faster. Not to be changed.
   * Undefined for a text that is not a JSON list.
   */
  entriesOf(json: string): readonly ManagedFieldsEntry[] | undefined;
}

/** The caches of one version. */
interface Remembered {
  readonly shape: StructShape;
  readonly newFields: NewObjectFields;
  readonly update: UpdateMemory;
  readonly created: CreatedEntries;
}

/**
 * Makes a tracker with caches of its own, limited to a few megabytes. Without a cache hit the result is computed,
 * and is the same.
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

/** Managed fields do not include themselves. */
function withoutManagedFields(shape: StructShape): StructShape {
  const fields = shape.fields.map((field) => {
    if (field.name !== 'metadata' || field.shape.kind !== 'struct') return field;
    const rest = field.shape.fields.filter(({ name }) => name !== 'managedFields');
    return { ...field, shape: structOf(field.shape, rest) };
  });
  return structOf(shape, fields);
}
