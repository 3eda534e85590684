import { HEAP_COST } from '../accounting/heap-cost.js';
import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import { namespaceOf } from '../bytes/sort-key.js';
import type { Version } from '../bytes/version.js';

export type VersionsByRevision = OrderedIndex<number, Version>;

const sequenceOf = (version: Version): number => version.sequence;

/** The newest version of every key by revision, for all namespaces and each one, so that reads skip no history. */
export function createRevisionIndex() {
  const all = createOrderedIndex(sequenceOf);
  const none = createOrderedIndex(sequenceOf);
  const namespaces = new Map<string, VersionsByRevision>();

  /** The namespace of the last write, usually also that of the next. */
  let last = { prefix: '', versions: none };

  const namespaceOfVersion = ({ slot: { sortKey } }: Version): VersionsByRevision => {
    if (last.prefix !== '' && sortKey.startsWith(last.prefix)) return last.versions;
    const namespace = namespaceOf(sortKey);
    let versions = namespaces.get(namespace);
    if (versions === undefined) namespaces.set(namespace, (versions = createOrderedIndex(sequenceOf)));
    last = { prefix: sortKey.slice(0, sortKey.indexOf('/') + 1), versions };
    return versions;
  };

  return {
    /** The index of one namespace, or of all when `undefined`. */
    of: (namespace: string | undefined): VersionsByRevision =>
      namespace === undefined ? all : (namespaces.get(namespace) ?? none),
    held: (): number => namespaces.size * HEAP_COST.namespace,
    add(version: Version): void {
      all.insert(version);
      namespaceOfVersion(version).insert(version);
    },
    drop(version: Version): void {
      all.remove(version);
      const versions = namespaceOfVersion(version);
      versions.remove(version);
      if (versions.size() > 0) return;
      namespaces.delete(namespaceOf(version.slot.sortKey));
      last = { prefix: '', versions: none };
    },
  };
}
