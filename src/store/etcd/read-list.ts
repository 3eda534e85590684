import type { ListPage, ListQuery, Position } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { EventKey, EventRecord, Revision } from '../contract/record.js';
import { haveValues } from '../sidecar/sidecar.js';
import type { CallContext } from './call-context.js';
import type { EtcdClient } from './client.js';
import { failureClassOf } from './failure.js';
import type { Layout } from './layout.js';
import type { RangeRequest, RangeResponse } from './connection.js';

/** With terms: how much is read at once, and how much for one page. */
const SEARCH_STEP = 500;
const MAX_SEARCHED = 2000;

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

interface Reading {
  readonly client: EtcdClient;
  readonly layout: Layout;
  readonly context: CallContext;
}

const position = (key: EventKey, revision: Revision, newestFirst: boolean): Position =>
  newestFirst ? { ...key, revision } : key;

function positionAfter(layout: Layout, { kvs, more }: RangeResponse, newestFirst: boolean): Position | undefined {
  if (!more) return undefined;
  for (const { key: bytes, modRevision } of kvs.toReversed()) {
    const key = layout.keyOf(bytes);
    if (key !== undefined) return position(key, modRevision, newestFirst);
  }
  throw storeError('unavailable', 'etcd has keys below the prefix that are not events: remove them');
}

async function readStep(
  { client, layout, context }: Reading,
  query: ListQuery,
  at: Revision | undefined,
  after: Position | undefined,
  limit: number,
): Promise<ListPage> {
  const newestFirst = query.order === 'newest-first';
  // No key has the revision 1, and 0 would be no limit.
  const maxModRevision = newestFirst && after?.revision !== undefined ? Math.max(1, after.revision - 1) : undefined;
  const keys = layout.objects(query.namespace, newestFirst ? undefined : after);
  const response = await rangeThatFits(client, { ...keys, limit, revision: at, newestFirst, maxModRevision }, context);
  return {
    revision: at ?? response.revision,
    records: response.kvs.flatMap((kv) => layout.record(kv) ?? []),
    next: positionAfter(layout, response, newestFirst),
    // etcd counts the whole range, whatever the revisions.
    remaining: maxModRevision === undefined ? response.count - response.kvs.length : undefined,
  };
}

/** Reads a page. Without terms it is full; with terms it has the results of a bounded search. */
export async function readList(reading: Reading, query: ListQuery): Promise<ListPage> {
  const { limit, terms = [] } = query;
  const searching = terms.length > 0;
  const records: EventRecord[] = [];
  let { at, after } = query;
  for (let read = 0; ;) {
    const step = searching ? SEARCH_STEP : limit - records.length;
    const page = await readStep(reading, query, at, after, step);
    at = page.revision;
    read += step;
    const found = searching ? page.records.filter(({ event }) => haveValues(event.fields, terms)) : page.records;
    for (const record of found.slice(0, limit - records.length)) records.push(record);
    const last = records.at(-1);
    const isFull = last !== undefined && records.length >= limit;
    // A search may fill the page in the middle of a step.
    const isCut = searching && isFull && last !== page.records.at(-1);
    after = isCut ? position(last.key, last.revision, query.order === 'newest-first') : page.next;
    if (after === undefined || isFull || (searching && read >= MAX_SEARCHED)) {
      return {
        records,
        revision: at,
        ...(after !== undefined && { next: after }),
        ...(!searching && page.remaining !== undefined && { remaining: page.remaining }),
      };
    }
  }
}
