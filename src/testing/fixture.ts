import type {
  Change,
  EventKey,
  EventStore,
  ListPage,
  ListQuery,
  Revision,
  WriteOptions,
} from '../store/contract/event-store.js';
import { isStoreError } from '../store/contract/errors.js';
import { nextTurn } from '../clock/clock.js';
import type { EventRecord } from '../store/contract/record.js';
import { fail, inTime } from './assert.js';
import type { FakeClock } from './fake-clock.js';
import { sampleEvent, type SampleEventOptions } from './sample-event.js';

/** Given to the functions that make stores for the suite. */
export interface StoreContext {
  /** Different for each test: a name for its directory, schema or key prefix. */
  readonly id: string;
  /** The clock the store must read time from. The suite moves it. */
  readonly clock: FakeClock;
  /** The history the store must keep, in milliseconds, and may forget after. */
  readonly historyMs: number;
}

/** A feed under test. */
export interface FeedReader {
  /** The next `count` changes, however they are batched. */
  take(count: number): Promise<readonly Change[]>;
  /** The next batch as it comes. */
  batch(): Promise<IteratorResult<readonly Change[]>>;
  stop(): void;
}

/** What a test of the suite gets: a fresh store and shorthand for what is done with it. */
export interface Fixture {
  readonly store: EventStore;
  readonly context: StoreContext;
  /** Opens the data again after the store was closed. */
  reopen(): Promise<EventStore>;
  /** A second store on the same data. */
  second(): Promise<EventStore>;
  /** Copies the data and returns a function that restores it while stores are open; undefined: that cannot be done. */
  readonly backup: (() => Promise<() => Promise<void>>) | undefined;
  /** An hour from now. */
  later(): WriteOptions;
  create(name: string, more?: SampleEventOptions): Promise<EventRecord>;
  /** Creates `count` events `prefix-000` and up, one after the other. */
  createMany(count: number, prefix?: string): Promise<readonly EventRecord[]>;
  replace(record: EventRecord, more?: SampleEventOptions): Promise<EventRecord>;
  /** Follows `next` from page to page. */
  walk(query: ListQuery): Promise<readonly ListPage[]>;
  feed(after: Revision, store?: EventStore): FeedReader;
  /** Moves the clock until the history no longer reaches back to a revision, and returns the error of reading there. */
  outlive(revision: Revision): Promise<unknown>;
}

/** One test of the suite. */
export interface SuiteCase {
  readonly name: string;
  run(fixture: Fixture): Promise<void>;
}

export const keyOf = (name: string, namespace = 'default'): EventKey => ({ namespace, name });

export const namesOf = (page: ListPage): readonly string[] =>
  page.records.map(({ key }) => `${key.namespace}/${key.name}`);

/** The same promise, whose rejection is not reported as unhandled before the test awaits it. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Makes the fixture of one test. `cleanUp` closes whatever was opened. */
export function createFixture(
  store: EventStore,
  context: StoreContext,
  others: {
    reopen(): Promise<EventStore>;
    second(): Promise<EventStore>;
    readonly backup: Fixture['backup'];
    readonly waitMs: number;
  },
): Fixture & { cleanUp(): Promise<void> } {
  const aborts: AbortController[] = [];
  const stores: EventStore[] = [store];
  const later = (): WriteOptions => ({ expiresAt: context.clock.now() + 3_600_000_000 });
  const keep = async (opened: Promise<EventStore>): Promise<EventStore> => {
    stores.push(await opened);
    return opened;
  };

  const create = (name: string, more: SampleEventOptions = {}): Promise<EventRecord> =>
    store.create(keyOf(name, more.namespace), sampleEvent({ name, ...more }), later());

  const readError = async (revision: Revision): Promise<unknown> => {
    try {
      await store.list({ at: revision, limit: 1 });
      return undefined;
    } catch (error) {
      return error;
    }
  };

  return {
    store,
    context,
    later,
    create,
    reopen: () => keep(others.reopen()),
    second: () => keep(others.second()),
    backup: others.backup,
    async createMany(count, prefix = 'event') {
      const records: EventRecord[] = [];
      for (let i = 0; i < count; i++) records.push(await create(`${prefix}-${String(i).padStart(3, '0')}`));
      return records;
    },
    replace: (record, more = {}) =>
      store.replace(record.key, sampleEvent({ ...record.key, uid: record.event.uid, ...more }), {
        ...later(),
        expected: record.revision,
      }),
    async walk(query) {
      const pages: ListPage[] = [];
      for (
        let page = await store.list(query);
        ;
        page = await store.list({ ...query, at: page.revision, after: page.next })
      ) {
        pages.push(page);
        if (page.next === undefined) return pages;
        if (pages.length > 1000) fail('a walk of pages does not end');
      }
    },
    feed(after, source = store) {
      const abort = new AbortController();
      aborts.push(abort);
      const feed = source.changes({ after, signal: abort.signal })[Symbol.asyncIterator]();
      const batch = (): Promise<IteratorResult<readonly Change[]>> =>
        inTime(feed.next(), 'a batch of the feed', others.waitMs);
      const ready: Change[] = [];
      const take = async (count: number): Promise<readonly Change[]> => {
        while (ready.length < count) {
          const result = await batch();
          if (result.done === true) return fail(`the feed ended after ${ready.length} of ${count} changes`);
          ready.push(...result.value);
        }
        return ready.splice(0, count);
      };
      return {
        batch: () => awaitedLater(batch()),
        take: (count) => awaitedLater(take(count)),
        stop: () => abort.abort(),
      };
    },
    async outlive(revision) {
      for (let round = 0; round < 400; round++) {
        context.clock.advance(context.historyMs + 1);
        const passing = await create(`passing-${round}`);
        await store.remove(passing.key);
        const error = await readError(revision);
        if (isStoreError(error)) return error;
        if (round < 20) await nextTurn();
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return fail('the history never forgets');
    },
    async cleanUp() {
      for (const abort of aborts) abort.abort();
      for (const opened of stores) await inTime(opened.close(), 'close()');
    },
  };
}
