import type {
  Change,
  EventKey,
  EventStore,
  ListPage,
  ListQuery,
  Revision,
  WriteOptions,
} from '../store/contract/event-store.js';
import { keyText } from '../store/contract/keys.js';
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
  /** How long the store must keep history, in milliseconds; older history may be dropped. */
  readonly historyMs: number;
}

/** Options of `eventStoreSuite`. */
export interface EventStoreSuiteOptions {
  /** Registers a test: `test` or `it` of any runner, or a function of your own. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes a store without data. Called once for every test; the suite closes it. */
  readonly createStore: (context: StoreContext) => EventStore | Promise<EventStore>;
  /**
   * Opens the data of `createStore(context)` again, after that store was closed. Needed by stores that declare
   * `durable`.
   */
  readonly reopen?: ((context: StoreContext) => EventStore | Promise<EventStore>) | undefined;
  /** Opens a second store on the data of `createStore(context)`. Needed by stores that declare `shared`. */
  readonly secondInstance?: ((context: StoreContext) => EventStore | Promise<EventStore>) | undefined;
  /**
   * Copies the data of `createStore(context)` and returns a function that restores it while stores are open on it, as
   * an operator's restore or a fail-over to a lagging replica does. Absent: that cannot happen to the store, and is not
   * tested.
   */
  readonly backup?: ((context: StoreContext) => Promise<() => Promise<void>>) | undefined;
  /** How long a change may take to reach a feed, in milliseconds, before the test fails. Default: 5,000. */
  readonly waitMs?: number | undefined;
}

export type DefineCase = (name: string, run: (fixture: Fixture) => Promise<void>) => void;

export const keyOf = (name: string, namespace = 'default'): EventKey => ({ namespace, name });

export const keysOf = ({ records }: ListPage): readonly string[] => records.map(({ key }) => keyText(key));

type Named = Pick<Change | EventRecord, 'key' | 'revision'>;

export const namesOf = (all: readonly Named[]): readonly string[] => all.map(({ key }) => key.name);
export const revisionsOf = (all: readonly Named[]): Revision[] => all.map(({ revision }) => revision);
export const recordsOf = (changes: readonly Change[]): readonly EventRecord[] => changes.map(({ record }) => record);

/** The same promise, whose rejection is not reported as unhandled before the test awaits it. */
function withHandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Expires in an hour unless `expiresAt` is given. */
type EventOptions = SampleEventOptions & Partial<Pick<WriteOptions, 'expiresAt'>>;

function createReader(store: EventStore, after: Revision, waitMs: number | undefined) {
  const abort = new AbortController();
  let passed = 0;
  const onProgress = (revision: Revision): void => void (passed = revision);
  const feed = store.changes({ after, signal: abort.signal, onProgress })[Symbol.asyncIterator]();
  const batch = (): Promise<IteratorResult<readonly Change[]>> => inTime(feed.next(), 'a batch of the feed', waitMs);
  const ready: Change[] = [];
  const take = async (count: number): Promise<readonly Change[]> => {
    while (ready.length < count) {
      const result = await batch();
      if (result.done === true) return fail(`the feed ended after ${ready.length} of ${count} changes`);
      const early = result.value.find(({ revision }) => revision <= passed);
      if (early) return fail(`change ${early.revision} came after the progress to ${passed}`);
      ready.push(...result.value);
    }
    return ready.splice(0, count);
  };
  return {
    batch: (): Promise<IteratorResult<readonly Change[]>> => withHandledRejection(batch()),
    take: (count: number): Promise<readonly Change[]> => withHandledRejection(take(count)),
    stop: (): void => abort.abort(),
  };
}

export type FeedReader = ReturnType<typeof createReader>;

export type Fixture = ReturnType<typeof createFixture>;

export function createFixture(options: EventStoreSuiteOptions, context: StoreContext, store: EventStore) {
  const readers: FeedReader[] = [];
  const stores = [store];
  const later = (): WriteOptions => ({ expiresAt: context.clock.now() + 3_600_000_000 });
  const open = async (make: EventStoreSuiteOptions['reopen'], missing: string): Promise<EventStore> => {
    const opened = await (make ?? fail(missing))(context);
    stores.push(opened);
    return opened;
  };

  const create = (name: string, more: EventOptions = {}): Promise<EventRecord> => {
    const { expiresAt, ...rest } = { ...later(), ...more };
    return store.create(keyOf(name, rest.namespace), sampleEvent({ name, ...rest }), { expiresAt });
  };

  return {
    store: store as EventStore,
    context: context as StoreContext,
    later: (): WriteOptions => later(),
    create: (name: string, more?: EventOptions): Promise<EventRecord> => create(name, more),
    reopen: (): Promise<EventStore> => open(options.reopen, 'the store declares durable: give the suite `reopen`'),
    second: (): Promise<EventStore> =>
      open(options.secondInstance, 'the store declares shared: give the suite `secondInstance`'),
    /** Copies the data; returns a function that restores it while stores are open. `undefined`: that cannot be done. */
    get backup(): (() => Promise<() => Promise<void>>) | undefined {
      const { backup } = options;
      return backup && (() => backup(context));
    },
    async createMany(count: number, prefix = 'event'): Promise<readonly EventRecord[]> {
      const records: EventRecord[] = [];
      for (let i = 0; i < count; i++) records.push(await create(`${prefix}-${String(i).padStart(3, '0')}`));
      return records;
    },
    replace({ key, event: { uid }, revision: expected }: EventRecord, more: EventOptions = {}): Promise<EventRecord> {
      const { expiresAt, ...rest } = { ...later(), ...more };
      return store.replace(key, sampleEvent({ ...key, uid, ...rest }), { expiresAt, expected });
    },
    /** Expires what is due at a time. A store with a clock of its own that follows the test's clock gets there first. */
    expire(now: number, limit = 10, source: EventStore = store): Promise<number> {
      if (source.now !== undefined && context.clock.now() < now) context.clock.setNow(now);
      return source.expire({ now, limit });
    },
    async walk(query: ListQuery): Promise<readonly ListPage[]> {
      const pages: ListPage[] = [];
      let page: ListPage | undefined;
      do {
        page = await store.list(page === undefined ? query : { ...query, at: page.revision, after: page.next });
        if (pages.push(page) > 1000) fail('a walk of pages does not end');
      } while (page.next !== undefined);
      return pages;
    },
    feed(after: Revision, source: EventStore = store): FeedReader {
      const reader = createReader(source, after, options.waitMs);
      readers.push(reader);
      return reader;
    },
    /** Moves the clock until the history of a store does not reach back to a revision; returns the error of reading there. */
    async outlive(revision: Revision, source: EventStore = store): Promise<unknown> {
      for (let round = 0; round < 400; round++) {
        context.clock.advance(context.historyMs + 1);
        // Calls that the store made meanwhile are over their deadlines.
        await nextTurn();
        const passing = await create(`passing-${round}`);
        await store.remove(passing.key);
        const error: unknown = await source.list({ at: revision, limit: 1 }).catch((reason: unknown) => reason);
        if (isStoreError(error)) return error;
        if (round < 20) await nextTurn();
        else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return fail(`the store still reads at revision ${revision}, which is beyond its history`);
    },
    async cleanUp(): Promise<void> {
      for (const reader of readers) reader.stop();
      for (const opened of stores) await inTime(opened.close(), 'close()');
    },
  };
}
