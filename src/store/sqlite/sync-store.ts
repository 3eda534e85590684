import type { Revision } from '../contract/event-store.js';
import { checkReadable, expired } from '../contract/conditions.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import { createCommits, type Commits } from './commits.js';
import type { LoadedDriver } from './driver.js';
import { openStoreFile, type Session } from './store-file.js';
import { linkTarget } from './file-lock.js';
import { stateOfOpening } from './marker-file.js';
import type { SyncStoreOptions } from './options.js';
import { readStoredChanges } from './read-changes.js';
import { readStoredList, type StoredPage, type StoredQuery } from './read-list.js';
import { readState } from './state.js';
import { CURRENT_RECORD, encoded, storedRecordOf, type StoredChange, type StoredRecord } from './stored.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** A list as requested: `at` may be absent. */
export type SyncStoreQuery = Omit<StoredQuery, 'at' | 'isLatest'> & { readonly at: Revision | undefined };

export type SyncStore = ReturnType<typeof openSyncStore>;

/** The store on one connection, without threads and promises. Fails only with StoreErrors. `now`: microseconds. */
export function openSyncStore(driver: LoadedDriver, given: SyncStoreOptions, now: number) {
  const options = { ...given, path: linkTarget(given.path) };
  const file = openStoreFile(driver, options, now);
  let commits: Commits;
  try {
    commits = createCommits(options.path, file, readState(file.use().connection));
  } catch (error) {
    file.close();
    throw file.failure(error);
  }
  commits.begin(stateOfOpening(commits.state, file.mark, file.isNew, options.startAt, now));

  const read = <T>(work: (session: Session) => T): T => {
    let session: Session | undefined;
    try {
      session = commits.use();
      return work(session);
    } catch (error) {
      if (isStoreError(error)) throw error;
      throw session === undefined ? file.failure(error) : commits.noticed(error);
    }
  };

  return {
    /** Commits a batch: a result for each operation. `withPrevious`: replaces return the versions before them. */
    write: (
      operations: readonly WriteOperation[],
      at: number,
      withPrevious = false,
    ): readonly (WriteResult | StoreError)[] => commits.write(operations, at, withPrevious),
    get: (key: string): StoredRecord | undefined =>
      read(({ connection }) => {
        const row = connection.prepare(CURRENT_RECORD).get(encoded(key));
        return row && storedRecordOf(row);
      }),
    list: (query: SyncStoreQuery): StoredPage & { readonly revision: Revision } =>
      read(({ connection }) => {
        const { latest, floor } = commits.state;
        const at = query.at ?? latest;
        checkReadable(at, floor, latest);
        return { ...readStoredList(connection, { ...query, at, isLatest: at === latest }), revision: at };
      }),
    changes: (after: Revision): readonly StoredChange[] =>
      read(({ connection }) => {
        const { floor } = commits.state;
        if (after < floor) throw expired(after, floor);
        return readStoredChanges(connection, after);
      }),
    revision: (): Revision => read(() => commits.state.latest),
    /** The latest revision that is known without the file: a commit of unknown outcome is not counted. */
    get latest(): Revision {
      return commits.state.latest;
    },
    ping: (): void => commits.ping(),
    resolveOutcome: (): void => read(() => commits.resolveOutcome()),
    /** When history has to be pruned next, microseconds; 0: now. */
    nextDue(): number | undefined {
      const { damage, state } = commits;
      if (damage !== undefined) return undefined;
      const due = read(({ writer }) => writer.history.nextDue(state));
      return due && due - state.ahead;
    },
    close: (): void => file.close(commits.state.latest),
  };
}
