import { createOrderedIndex, type OrderedIndex } from './ordered-index.js';
import { namespaceOf } from './sort-key.js';
import type { Version } from './version.js';

/**
 * Versions with an event by revision (as steps). Those that are the newest of their key stand apart from superseded ones, so that
 * the newest state is read without stepping over history.
 */
export interface VersionsByRevision {
  readonly current: OrderedIndex<number, Version>;
  readonly past: OrderedIndex<number, Version>;
}

/** {@link VersionsByRevision} of everything and of each namespace. */
export interface RevisionIndex {
  /** One namespace; `undefined`: all. */
  of(namespace: string | undefined): VersionsByRevision;
  add(version: Version): void;
  supersede(version: Version): void;
  drop(version: Version): void;
}

const stepOf = (version: Version): number => version.step;

function createVersions(): VersionsByRevision {
  return { current: createOrderedIndex(stepOf), past: createOrderedIndex(stepOf) };
}

/** Makes an empty {@link RevisionIndex}. */
export function createRevisionIndex(): RevisionIndex {
  const all = createVersions();
  const none = createVersions();
  const namespaces = new Map<string, VersionsByRevision>();

  /** The namespace of the last write, which mostly is that of the next. */
  let last = { prefix: '', versions: none };

  const namespaceOfVersion = ({ slot: { sortKey } }: Version): VersionsByRevision => {
    if (last.prefix !== '' && sortKey.startsWith(last.prefix)) return last.versions;
    const namespace = namespaceOf(sortKey);
    let versions = namespaces.get(namespace);
    if (versions === undefined) namespaces.set(namespace, (versions = createVersions()));
    last = { prefix: sortKey.slice(0, sortKey.indexOf('/') + 1), versions };
    return versions;
  };

  const both = (version: Version, visit: (versions: VersionsByRevision) => void): void => {
    visit(all);
    const versions = namespaceOfVersion(version);
    visit(versions);
    if (versions.current.size() > 0 || versions.past.size() > 0) return;
    namespaces.delete(namespaceOf(version.slot.sortKey));
    last = { prefix: '', versions: none };
  };

  return {
    of: (namespace) => (namespace === undefined ? all : (namespaces.get(namespace) ?? none)),
    add(version) {
      all.current.insert(version.step, version);
      namespaceOfVersion(version).current.insert(version.step, version);
    },
    supersede: (version) =>
      both(version, ({ current, past }) => {
        current.delete(version.step);
        past.insert(version.step, version);
      }),
    drop: (version) => both(version, ({ past }) => void past.delete(version.step)),
  };
}
