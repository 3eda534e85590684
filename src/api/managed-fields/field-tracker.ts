import { createBoundedCache } from '../../cache/bounded-cache.js';
import { ownText } from '../../cache/own-text.js';
import type { KnownEntries } from '../decode/quick-object.js';
import { sameTree } from '../../json/json-tree.js';
import type { ManagedFieldsEntry } from '../../model/object-meta.js';
import { compareObjects, differenceText } from './compare.js';
import { EntryLists, MAX_LENGTH, type EntryList } from './entry-lists.js';
import { toFieldsV1 } from './field-set.js';
import { decodeManagers, encodeEntry, inOrder, type Manager } from './managers.js';
import { recordChange, isReset, updateManagedFields, type UpdateManagedFieldsInput } from './update-managed-fields.js';
import { contentBefore, emptyObject, untracked } from './tracked-object.js';

export interface TrackedFields {
  /** Empty: the object carries none. Not to be changed: other objects may have the same ones. */
  readonly entries: readonly ManagedFieldsEntry[];
  /** The entries as JSON, where it is known already. */
  readonly json?: string | undefined;
}

export type FieldTracker = ReturnType<typeof createFieldTracker>;

/** With more updaters than this the oldest are merged, which is rare and not cached. */
const MAX_ENTRIES = 9;
const MAX_KEY_LENGTH = 1024;
const MAX_OWNERS_RESULTS = 1000;
const MAX_ENTRIES_RESULTS = 1000;

/** The `differenceText` of states with the same content. The resourceVersion is a condition, not content. */
const SAME_CONTENT: readonly string[] = ['', 'metadata{+resourceVersion,}', 'metadata{-resourceVersion,}'];

/** Stands for the time of the write in a cached result. */
const NOW = 'now';

const NO_ENTRIES: readonly ManagedFieldsEntry[] = Object.freeze([]);

/** An owner after a write. Its time is that of the entry with the number `from` before, or of the write. */
type Owner = Omit<Manager, 'fields' | 'time'> & { readonly fieldsV1: unknown; readonly from: number | typeof NOW };

/** The owners after a write, with a number that no other result has. */
interface OwnersResult {
  readonly id: number;
  readonly owners: readonly Owner[];
}

type EntriesResult = Required<TrackedFields> & { readonly time: string };

/**
 * Caches, in a few megabytes, the owners after a write, which depend on the owners before, the changed fields and the
 * manager, but not on values or times: a few cases that repeat. A hit takes 1 µs for a create and 3 for an update,
 * computing 15 without the JSON.
 */
export function createFieldTracker() {
  const lists = new EntryLists();
  const none = lists.of(NO_ENTRIES);
  const ownerCache = createBoundedCache<string, OwnersResult>({ maxEntries: MAX_OWNERS_RESULTS });
  const entriesCache = createBoundedCache<string, EntriesResult>({ maxEntries: MAX_ENTRIES_RESULTS });
  let lastId = 0;

  /** The list before a write; undefined for a write that is not cached. */
  const listBefore = ({ live, stored = NO_ENTRIES, sent }: UpdateManagedFieldsInput): EntryList | undefined => {
    if (!live) return (sent ? isReset(sent) : stored.length === 0) ? none : undefined;
    const entries = sent ?? stored;
    if (entries.length === 0 || entries.length > MAX_ENTRIES || (sent && isReset(sent))) return undefined;
    return lists.of(entries);
  };

  const ownersFor = (update: UpdateManagedFieldsInput, list: EntryList): OwnersResult | undefined => {
    const { version, live, next, stored = NO_ENTRIES, manager } = update;
    const difference =
      (live ? undefined : version.fieldsPresent?.(next)) ??
      differenceText(live ?? emptyObject(version.shape), next, version.shape);
    if (difference === undefined) return undefined;
    // Stored times may have to be kept.
    if (list !== none && SAME_CONTENT.includes(difference) && list !== lists.of(stored)) return undefined;
    const cacheKey = `${list.form ?? ''}\n${version.apiVersion}\n${manager}\n${difference}`;
    const known = ownerCache.get(cacheKey);
    if (known) return known;
    const owners = ownersAfter({ ...update, manager: ownText(manager) }, list.entries);
    if (!owners) return undefined;
    const result = { id: ++lastId, owners };
    if (list.form !== undefined && cacheKey.length <= MAX_KEY_LENGTH) ownerCache.set(cacheKey, result);
    return result;
  };

  const entriesFor = ({ id, owners }: OwnersResult, list: EntryList, time: string): EntriesResult => {
    const cacheKey = `${id}/${list.id}`;
    const last = entriesCache.get(cacheKey);
    if (last?.time === time) return last;
    const entries = owners
      .map(({ from, ...owner }) => ({ ...owner, time: from === NOW ? time : list.entries[from]?.time }))
      .sort(inOrder)
      .map((owner) => encodeEntry(owner, owner.fieldsV1));
    // Equal entries keep the bytes that they have.
    const result = sameTree(entries, list.entries)
      ? { entries: list.entries, json: list.json, time }
      : { entries, json: JSON.stringify(entries), time };
    if (result.json.length <= MAX_LENGTH) entriesCache.set(cacheKey, result);
    return result;
  };

  return {
    track(input: UpdateManagedFieldsInput): TrackedFields {
      const list = listBefore(input);
      const ownersResult = list && ownersFor(input, list);
      return ownersResult ? entriesFor(ownersResult, list, input.time) : { entries: updateManagedFields(input) };
    },
    /** The entries with this JSON; undefined if it is not a list. Do not change them. Cached ones update faster. */
    entriesOf: (json: string): readonly ManagedFieldsEntry[] | undefined => lists.parse(json)?.entries,
    /** As `entriesOf`, but only for cached entries: for texts that clients send. */
    knownEntries: (json: string): ReturnType<KnownEntries> => lists.known(json)?.entries,
  };
}

/** Undefined for invalid entries, or two entries of one manager. */
function ownersAfter(
  { version, live, next, manager }: UpdateManagedFieldsInput,
  entries: readonly ManagedFieldsEntry[],
): readonly Owner[] | undefined {
  const before = decodeManagers(entries.map((entry, index) => ({ ...entry, time: String(index) })));
  if (before?.size !== entries.length) return undefined;
  const comparison = compareObjects(contentBefore(live, version), untracked(next), version.shape);
  const after = recordChange(before, comparison, { manager, time: NOW, version });
  return [...after.values()].map(({ fields, time, ...owner }) => ({
    ...owner,
    fieldsV1: frozenTree(toFieldsV1(fields)),
    from: time === NOW ? NOW : Number(time),
  }));
}

/** Frozen, because entries share it. */
function frozenTree(tree: Record<string, unknown>): unknown {
  for (const below of Object.values(tree)) frozenTree(below as Record<string, unknown>);
  return Object.freeze(tree);
}
