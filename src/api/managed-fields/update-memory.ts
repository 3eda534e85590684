import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import type { StructShape } from '../schema/shape.js';
import { compareObjects, type Comparison } from './compare.js';
import type { FieldSet } from './field-set.js';
import { toFieldsV1 } from './fields-v1.js';
import { decodeManagers, type Manager } from './managers.js';
import { keptFields, type KeptFields } from './new-object-fields.js';
import { recordChange } from './record-update.js';
import type { ManagedVersion, WireObject } from './tracked-object.js';

/** A manager after an update. */
export interface KeptManager {
  readonly manager: Omit<Manager, 'fields'>;
  readonly fields: KeptFields;
}

/** An update of a tracked object. */
export interface TrackedUpdate {
  readonly version: ManagedVersion;
  /** The version's, but for the managed fields themselves. */
  readonly shape: StructShape;
  readonly live: WireObject;
  readonly next: WireObject;
  /** The entries before the update. */
  readonly entries: readonly ManagedFieldsEntry[];
  readonly manager: string;
  readonly time: string;
}

/** Answers the managers after an update, in no order; undefined where that must be computed the plain way. */
export type UpdateMemory = (update: TrackedUpdate) => readonly KeptManager[] | undefined;

/** Longer questions are not remembered; nor are more of them, or more bytes. */
const MAX_QUESTION = 4096;
const MAX_ANSWERS = 500;

/** Stands for the time of the update in an answer. */
const NOW = 'now';

/** Where a manager's time comes from: the entry with that number, or the update itself. */
interface Answer {
  readonly managers: readonly (KeptManager & { readonly from: number | typeof NOW })[];
}

/**
 * Who owns what after an update depends on who owned what, on which fields have changed and on who did it, but not on
 * values or times: a few questions that come again and again (a counter that goes up, a label that is set). Comparing
 * the objects and looking the answer up takes 11 µs, computing it 17, without its JSON.
 */
export function createUpdateMemory(): UpdateMemory {
  let answers = new Map<string, Answer>();
  return (update) => {
    const { shape, live, next, entries, manager, time } = update;
    const change = compareObjects(live, next, shape);
    // Where nothing has changed the stored times may have to stay: rare, and not for here.
    if (!changesContent(change.changed) && !changesContent(change.removed)) return undefined;
    const question = JSON.stringify([
      manager,
      toFieldsV1(change.changed),
      toFieldsV1(change.removed),
      entries.map((entry) => ({ ...entry, time: undefined })),
    ]);
    let answer = answers.get(question);
    if (!answer) {
      answer = computed(update, change);
      if (!answer) return undefined;
      if (answers.size >= MAX_ANSWERS) answers = new Map();
      if (question.length <= MAX_QUESTION) answers.set(question, answer);
    }
    return answer.managers.map(({ manager: one, fields, from }) => ({
      manager: { ...one, time: from === NOW ? time : entries[from]?.time },
      fields,
    }));
  };
}

/** False for a difference in nothing but the resourceVersion, which is a condition rather than content. */
function changesContent(set: FieldSet): boolean {
  if (set.size !== 1) return set.size > 0;
  const below = set.get('f:metadata')?.children;
  return !(below?.size === 1 && below.has('f:resourceVersion'));
}

/** Undefined for entries that cannot be read, or of which two are the same manager's. */
function computed({ version, entries, manager }: TrackedUpdate, change: Comparison): Answer | undefined {
  const before = decodeManagers(entries.map((entry, index) => ({ ...entry, time: String(index) })));
  if (before?.size !== entries.length) return undefined;
  const after = recordChange(before, change, { manager, time: NOW, version });
  const managers = [...after.values()].map(({ fields, ...one }) => ({
    manager: one,
    fields: keptFields(toFieldsV1(fields)),
    from: one.time === NOW ? NOW : Number(one.time),
  }));
  return { managers: managers as Answer['managers'] };
}
