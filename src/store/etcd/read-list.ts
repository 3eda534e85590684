import type { ListPage, ListQuery, Position } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import { recordsSize, eventSize, PAGE_BYTES } from '../contract/record.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
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

function lastEvent(layout: Layout, kvs: readonly KeyValue[]): readonly [key: EventKey, revision: Revision] {
  for (const { key: bytes, modRevision } of kvs.toReversed()) {
    const key = layout.keyOf(bytes);
    if (key !== undefined) return [key, modRevision];
  }
  throw storeError('unavailable', 'etcd has keys below the prefix that are not events: remove them');
}

/** Reads a page. Without terms it is full; with terms it has the results of a bounded search. */
export async function readList(
  client: EtcdClient,
  layout: Layout,
  query: ListQuery,
  context: CallContext,
): Promise<ListPage> {
  const { namespace, limit, order, terms = [] } = query;
  const searching = terms.length > 0;
  const newestFirst = order === 'newest-first';
  const position = (key: EventKey, revision: Revision): Position => (newestFirst ? { ...key, revision } : key);
  const records: EventRecord[] = [];
  let { at, after } = query;
  let maxStep = FIRST_STEP;
  let bytes = 0;
  let total: number | undefined;
  for (let read = 0, events = 0; ;) {
    const step = Math.min(searching ? SEARCH_STEP : limit - records.length, maxStep);
    // No key has the revision 1, and 0 would be no limit.
    const maxModRevision = newestFirst && after?.revision !== undefined ? Math.max(1, after.revision - 1) : undefined;
    const keys = layout.objects(namespace, newestFirst ? undefined : after);
    const request = { ...keys, limit: step, revision: at, newestFirst, maxModRevision };
    const { revision, kvs, more, count } = await rangeThatFits(client, request, context);
    at ??= revision;
    // etcd counts the whole range, whatever the revisions.
    if (read === 0 && !searching && maxModRevision === undefined) total = count;
    read += step;
    events += kvs.length;
    const found = kvs.flatMap((kv) => layout.record(kv) ?? []);
    const matching = searching ? found.filter(({ event }) => haveValues(event.fields, terms)) : found;
    for (const record of matching.slice(0, limit - records.length)) {
      records.push(record);
      bytes += eventSize(record.event);
    }
    maxStep = Math.ceil((PAGE_BYTES * found.length) / (recordsSize(found) + 1)) || FIRST_STEP;
    const last = records.at(-1);
    const isFull = last !== undefined && records.length >= limit;
    // A search may fill the page in the middle of a step.
    const isCut = searching && isFull && last !== found.at(-1);
    if (isCut) after = position(last.key, last.revision);
    else after = more ? position(...lastEvent(layout, kvs)) : undefined;
    if (after === undefined || isFull || bytes > PAGE_BYTES || (searching && read >= MAX_SEARCHED)) {
      return {
        records,
        revision: at,
        ...(after !== undefined && { next: after }),
        ...(total !== undefined && { remaining: total - events }),
      };
    }
  }
}
