import type { ListPage, ListQuery } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import { recordsSize, eventSize, PAGE_BYTES } from '../contract/record.js';
import type { EventRecord } from '../contract/record.js';
import { haveValues } from '../sidecar/sidecar.js';
import type { CallContext } from './call-context.js';
import type { EtcdClient } from './client.js';
import { failureClassOf } from './failure.js';
import type { Layout } from './layout.js';
import type { KeyValue, RangeRequest, RangeResponse } from './connection.js';

/** With terms: how much is read at once, and how much for one page. */
const SEARCH_STEP = 500;
const MAX_SEARCHED = 2000;
/** How many events are read at first, when their sizes are not known. Later steps have about `PAGE_BYTES`. */
const FIRST_STEP = 128;

/** A range, in smaller parts where the response is too large for the gateway of etcd. */
async function rangeThatFits(client: EtcdClient, request: RangeRequest, context: CallContext): Promise<RangeResponse> {
  let { limit = 1 } = request;
  for (;;) {
    try {
      return await client.range({ ...request, limit }, context);
    } catch (error) {
      if (failureClassOf(error) !== 'response-too-large') throw error;
      if (limit === 1)
        throw storeError('unavailable', 'an event is too large for the gateway of etcd', { cause: error });
      limit = Math.ceil(limit / 2);
    }
  }
}

/** The key directly after this one. */
function nextKey(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** Reads a page. Without terms it is full; with terms it has the results of a bounded search. */
export async function readList(
  client: EtcdClient,
  layout: Layout,
  query: ListQuery,
  context: CallContext,
): Promise<ListPage> {
  const { namespace, limit, terms = [] } = query;
  const searching = terms.length > 0;
  const records: EventRecord[] = [];
  let { at, after } = query;
  const { rangeEnd, key: start } = layout.objects(namespace, after);
  let key = start;
  let maxStep = FIRST_STEP;
  let bytes = 0;
  let total: number | undefined;
  for (let read = 0, events = 0; ;) {
    // Large steps until there is an event: another program may have written many keys.
    const isSearch = searching || (read > 0 && records.length === 0);
    const step = Math.min(isSearch ? SEARCH_STEP : limit - records.length, maxStep);
    const request = { key, rangeEnd, limit: step, revision: at };
    const { revision, kvs, more, count } = await rangeThatFits(client, request, context);
    at ??= revision;
    if (read === 0 && !searching) total = count;
    read += step;
    const found = kvs.flatMap((kv) => layout.record(kv) ?? []);
    const matching = searching ? found.filter(({ event }) => haveValues(event.fields, terms)) : found;
    for (const record of matching.slice(0, limit - records.length)) {
      records.push(record);
      bytes += eventSize(record.event);
    }
    maxStep = Math.ceil((PAGE_BYTES * found.length) / (recordsSize(found) + 1)) || FIRST_STEP;
    const last = records.at(-1);
    const isFull = last !== undefined && records.length >= limit;
    // A large step may fill the page in the middle.
    const isCut = isFull && last !== found.at(-1);
    const hasMore = more || isCut;
    events += isCut ? found.indexOf(last) + 1 : kvs.length;
    // Keys of other programs are read, but are no positions: a page ends where an event was.
    const lastEvent = kvs.findLast((kv) => layout.keyOf(kv.key) !== undefined);
    if (isCut) after = last.key;
    else if (lastEvent !== undefined) after = layout.keyOf(lastEvent.key);
    const isSearched = searching && read >= MAX_SEARCHED && after !== query.after;
    if (!hasMore || isFull || bytes > PAGE_BYTES || isSearched) {
      return {
        records,
        revision: at,
        ...(hasMore && after !== undefined && { next: after }),
        ...(total !== undefined && { remaining: total - events }),
      };
    }
    key = nextKey((kvs.at(-1) as KeyValue).key);
  }
}
