import type { Revision } from '../contract/event-store.js';
import { checkReadable, expired } from '../contract/conditions.js';
import type { StoreError } from '../contract/errors.js';
import { createCommits, type Commits } from './commits.js';
import type { LoadedDriver } from './driver.js';
import { openEngineFile } from './engine-file.js';
import { stateOfOpening } from './opening-mark.js';
import type { EngineOptions } from './options.js';
import { readStoredChanges } from './read-changes.js';
import { readStoredList, type StoredPage, type StoredQuery } from './read-list.js';
import type { Session } from './session.js';
import { readState } from './state.js';
import { CURRENT_RECORD, recordOf, type KeyBytes, type StoredChange, type StoredRecord } from './stored.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** A list as it is asked for: `at` may be absent. */
export type EngineQuery = Omit<StoredQuery, 'at' | 'isLatest'> & { readonly at: Revision | undefined };

/**
 * The store on one connection, without threads and without promises. `now` is the wall clock in microseconds. Everything
 * fails with a StoreError.
 */
export interface SqliteEngine {
  /**
   * Commits a batch in one transaction: a result for each operation, in order. `withPrevious`: replaces return the versions
   * before them.
   */
  write(
    operations: readonly WriteOperation[],
    now: number,
    withPrevious?: boolean,
  ): readonly (WriteResult | StoreError)[];
  get(key: KeyBytes): StoredRecord | undefined;
  list(query: EngineQuery): StoredPage & { readonly revision: Revision };
  changes(after: Revision): readonly StoredChange[];
  revision(): Revision;
  /** Ends well when a write would have a chance. */
  ping(): void;
  /** When history has to be forgotten next, microseconds; 0: now. */
  nextDue(): number | undefined;
  /** Moves the log into the file and lets go of it. */
  close(): void;
}

/**
 * Opens the file, or makes it, and takes its lock.
 *
 * @throws StoreError `unavailable` that says what is wrong with the file and what to do.
 */
export function openEngine(driver: LoadedDriver, options: EngineOptions, now: number): SqliteEngine {
  const { path, startAt } = options;

  const file = openEngineFile(driver, options, now);
  let commits: Commits;
  try {
    commits = createCommits(path, file, readState(file.use().connection));
  } catch (error) {
    file.close();
    throw file.failure(error);
  }

  const read = <T>(work: (open: Session) => T): T => {
    let open: Session;
    try {
      open = file.use();
    } catch (error) {
      throw file.failure(error);
    }
    try {
      return work(open);
    } catch (error) {
      if (error instanceof Error && 'current' in error) throw error;
      throw commits.noticed(error);
    }
  };

  commits.begin(stateOfOpening(commits.state, file.mark, file.isNew, startAt, now));

  return {
    write: (operations, at, withPrevious = false) => commits.write(operations, at, withPrevious),
    get: (key) =>
      read(({ prepare }) => {
        const row = prepare(CURRENT_RECORD).get(key);
        return row === undefined ? undefined : recordOf(row);
      }),
    list: (query) =>
      read(({ prepare }) => {
        const { latest, floor } = commits.state;
        const at = query.at ?? latest;
        checkReadable(at, floor, latest);
        return { ...readStoredList(prepare, { ...query, at, isLatest: at === latest }), revision: at };
      }),
    changes: (after) =>
      read(({ prepare }) => {
        if (after < commits.state.floor) throw expired(after, commits.state.floor);
        return readStoredChanges(prepare, after);
      }),
    revision: () => read(() => commits.state.latest),
    ping: commits.ping,
    nextDue() {
      const { damage, state } = commits;
      const due = damage === undefined ? read(({ writer }) => writer.nextDue(state)) : undefined;
      return due === undefined || due === 0 ? due : due - state.ahead;
    },
    close: () => file.close(commits.state.latest),
  };
}
