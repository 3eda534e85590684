import { nextTurn } from '../../clock/clock.js';
import { settle } from '../../http/promise.js';
import type { ListOptions } from '../../api/options/list-options.js';
import type { Selector } from '../../api/selectors/contract.js';
import { everything } from '../../api/selectors/field-selector.js';
import type { JsonPage, ListPage, ListQuery, Position, Revision } from '../../store/contract/event-store.js';
import { recordsSize } from '../../store/contract/record.js';
import { futureRevision } from '../request/store-failures.js';
import type { VerbCall } from '../request/call.js';
import { pageFailure, pageQuery, positionBeforeName, startOf, type Start } from './list-query.js';

/** The maximum number of records requested from a store at once. */
export const PAGE = 500;
/** The approximate maximum of bytes of events in a page, because some stores return copies. */
const REQUESTED_BYTES = 4_194_304;
const SMALLEST = 16;

export type Page = ListPage | JsonPage;

/**
 * Reads the pages of one list, all at the revision of the first. With a selector they grow from page to page: otherwise
 * a client that requests one event when few match would make the store read one event at a time.
 */
export class PageReader {
  readonly call: VerbCall;
  readonly selector: Selector;
  readonly slice: TimeSlice;
  readonly options: ListOptions;
  readonly #start: Start;
  readonly #asJson: boolean;
  #at: Revision | undefined;
  #size = 0;
  #maxSize = PAGE;

  /** @throws StatusFailure 400 for a bad token */
  constructor(call: VerbCall, options: ListOptions, selector: Selector, asJson: boolean) {
    this.call = call;
    this.selector = selector;
    this.slice = createTimeSlice(call);
    this.options = options;
    this.#start = startOf(call, options);
    this.#at = this.#start.at;
    // Terms are a hint to `list`; JSON cannot be filtered afterwards, so the terms must express the whole selector.
    this.#asJson = asJson && selector.onlyEqualities;
  }

  first(wanted: number): Page | Promise<Page> {
    const { after } = this.#start;
    const isFromStart = after === undefined && this.options.order === '';
    const before = isFromStart ? positionBeforeName(this.call, this.selector) : undefined;
    return before === undefined ? this.#read(after, wanted) : this.#readSingle(before);
  }

  /** Reads the event that follows the position, which may be another than the requested one if that does not exist. */
  async #readSingle(before: Position): Promise<ListPage> {
    const { records, revision } = await this.#readRecords(before, 1, everything);
    return { records, revision };
  }

  /** Reads a further page. First yields to other requests if this one has run long enough. */
  async next(after: Position): Promise<Page> {
    await this.#yieldIfDue();
    return this.#read(after, PAGE);
  }

  async nextRecords(after: Position, wanted: number): Promise<ListPage> {
    await this.#yieldIfDue();
    return this.#readRecords(after, wanted);
  }

  /** An in-memory store responds in the same turn of the event loop: awaiting it lets no other request run. */
  async #yieldIfDue(): Promise<void> {
    this.call.life.throwIfAborted();
    if (this.slice.shouldYield()) await this.slice.yieldToLoop();
  }

  /** Reads a page. A store returns JSON as a promise if it must first check whether its copy is up to date. */
  #read(after: Position | undefined, wanted: number): Page | Promise<Page> {
    const { store } = this.call.dependencies;
    return settle<ListQuery, JsonPage | undefined, Page>(
      this.#query(after, wanted),
      (query) => (this.#asJson ? store.list.json?.(query) : undefined),
      (_, page) => (page === undefined ? this.#readRecords(after, wanted) : this.#taken(page)),
      (query, error) => this.#failed(query, error),
    );
  }

  async #readRecords(
    after: Position | undefined,
    wanted: number,
    selector: Selector = this.selector,
  ): Promise<ListPage> {
    const { store } = this.call.dependencies;
    this.#size = Math.min(selector.empty ? wanted : Math.max(wanted, this.#size * 2), this.#maxSize);
    const page = await settle<ListQuery, ListPage, ListPage>(
      this.#query(after, this.#size, selector),
      (query) => store.list(query),
      (_, read) => read,
      (query, error) => this.#failed(query, error),
    );
    const { length } = page.records;
    if (length > 0) {
      const fitting = Math.floor((REQUESTED_BYTES * length) / recordsSize(page.records));
      this.#maxSize = Math.min(Math.max(fitting, SMALLEST), PAGE);
      // They are filtered next, and the reads of many requests may end in the same turn of the event loop.
      if (!selector.empty) await this.slice.yieldToLoop();
    }
    return this.#taken(page);
  }

  #query(after: Position | undefined, limit: number, selector = this.selector): ListQuery {
    const { notOlderThan } = this.#start;
    return pageQuery(this.call, this.options, selector, { at: this.#at, after, notOlderThan }, limit);
  }

  #failed(query: ListQuery, error: unknown): never {
    throw pageFailure(error, this.call, this.options, query);
  }

  #taken<P extends Page>(page: P): P {
    const { revision } = page;
    const { notOlderThan = 0 } = this.#start;
    if (revision < notOlderThan) {
      const { resourceVersion, sendInitialEvents } = this.options;
      throw futureRevision(resourceVersion, revision, sendInitialEvents);
    }
    this.#at = revision;
    return page;
  }
}

/** How long one request runs without yielding to others, in milliseconds. */
const SLICE_MS = 5;

export type TimeSlice = ReturnType<typeof createTimeSlice>;

/** Makes one request share the event loop with others, regardless of how much it examines. */
export function createTimeSlice({ dependencies, caller, life }: VerbCall) {
  const { clock, limits } = dependencies;
  let began = clock.monotonic();
  return {
    shouldYield: (): boolean => clock.monotonic() - began >= SLICE_MS,
    /** Lets other requests run. @throws the abort reason of the request, if it has ended */
    async yieldToLoop(): Promise<void> {
      await nextTurn();
      // All that waited for the turn runs in it: without the scheduler, each scan of a caller would have its slice.
      await limits.turn(caller, life);
      began = clock.monotonic();
      life.throwIfAborted();
    },
  };
}
