import { sharedTurn } from '../../clock/shared-turn.js';
import type { EventKey, JsonPage, ListPage, ListQuery } from '../contract/event-store.js';
import type { EventRecord } from '../contract/record.js';
import type { Awaitable } from '../shell/store-engine.js';
import type { MemoryParts } from './parts.js';
import type { PastView } from './history/past-views.js';
import { readJson } from './lists/read-json.js';
import { pastOf, readList } from './lists/read-list.js';

export type Reads = ReturnType<typeof createReads>;

/** The read operations on the parts of a store. `checkOpen`: throws when the store was closed while a read yielded. */
export function createReads({ state, jsonCache }: MemoryParts, checkOpen: () => void) {
  const yielded = async (signal: AbortSignal | undefined): Promise<void> => {
    await sharedTurn();
    signal?.throwIfAborted();
    checkOpen();
  };

  const list = (query: ListQuery): Awaitable<ListPage> => {
    const past = pastOf(state, query);
    return past?.catchUp() === false ? listInTurns(query, past) : pageOf(query, past);
  };

  const listInTurns = async (query: ListQuery, past: PastView): Promise<ListPage> => {
    do {
      await yielded(query.signal);
    } while (!past.catchUp());
    return pageOf(query, past);
  };

  const pageOf = (query: ListQuery, past: PastView | undefined): Awaitable<ListPage> => {
    const { page, incomplete } = readList(state, query, past);
    return incomplete ? completed(query, page) : page;
  };

  /** A scan over all events is split into many pages, and yields to the event loop between two of them. */
  const completed = async (query: ListQuery, page: ListPage): Promise<ListPage> => {
    await yielded(query.signal);
    const { next, records, revision } = page;
    if ((query.terms ?? []).length > 0 || next === undefined) return page;
    // A page without terms must be full and have `remaining`: continue where it ended.
    const left = query.limit - records.length;
    const rest = await list({ ...query, signal: query.signal, at: revision, after: next, limit: Math.max(left, 1) });
    if (left > 0) return { ...rest, records: [...records, ...rest.records] };
    if (rest.records.length === 0) return { records, revision, remaining: 0 };
    return { ...page, remaining: rest.remaining === undefined ? undefined : rest.remaining + 1 };
  };

  return {
    get(key: EventKey): EventRecord | undefined {
      const version = state.find(key);
      return version === undefined ? undefined : state.record(version, version.sequence, key);
    },
    /** Returns a page, synchronously unless it needs so many steps that other work has to run in between. */
    list: (query: ListQuery): Awaitable<ListPage> => list(query),
    json: (query: ListQuery): JsonPage | undefined => readJson(state, jsonCache, query),
  };
}
