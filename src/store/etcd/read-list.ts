import type { FieldTerm, ListPage, ListQuery, Position } from '../contract/event-store.js';
import { storeError } from '../contract/errors.js';
import type { EventRecord, Revision } from '../contract/record.js';
import type { Budget } from './budget.js';
import type { EtcdClient } from './client.js';
import { verdictOf } from './failure.js';
import type { Layout } from './layout.js';
import type { RangeRequest, RangeResponse } from './connection.js';

/** With terms: how much is read at once, and how much for one page. */
const SEARCH_STEP = 500;
const SEARCH_MOST = 2000;

function fits(record: EventRecord, terms: readonly FieldTerm[]): boolean {
  const { fields } = record.event;
  return terms.every(({ field, value }) => (Object.hasOwn(fields, field) ? fields[field] : '') === value);
}

/** A range, in smaller parts where the gateway of etcd cannot carry the answer. */
async function rangeThatFits(client: EtcdClient, request: RangeRequest, budget: Budget): Promise<RangeResponse> {
  let { limit = 1 } = request;
  for (;;) {
    try {
      return await client.range({ ...request, limit }, budget);
    } catch (error) {
      if (verdictOf(error) !== 'answer-too-large') throw error;
      if (limit === 1)
        throw storeError('unavailable', 'an event is too large for the gateway of etcd', { cause: error });
      limit = Math.ceil(limit / 2);
    }
  }
}

/** What a page is read with. */
interface Reading {
  readonly client: EtcdClient;
  readonly layout: Layout;
  readonly budget: Budget;
}

/** The last of a page that is an event's key: no position can be made of others. */
function positionOf(layout: Layout, { kvs, more }: RangeResponse, newestFirst: boolean): Position | undefined {
  if (!more) return undefined;
  for (const { key: bytes, modRevision } of kvs.toReversed()) {
    const key = layout.keyOf(bytes);
    if (key !== undefined) return newestFirst ? { ...key, revision: modRevision } : key;
  }
  throw storeError('unavailable', 'etcd has keys below the prefix that are no events: remove them');
}

async function readStep(
  { client, layout, budget }: Reading,
  query: ListQuery,
  at: Revision | undefined,
  after: Position | undefined,
  limit: number,
): Promise<ListPage> {
  const newestFirst = query.order === 'newest-first';
  const maxModRevision = newestFirst && after?.revision !== undefined ? after.revision - 1 : undefined;
  if (maxModRevision !== undefined && maxModRevision < 1) {
    const revision = at ?? (await client.range({ key: layout.storeKey, keysOnly: true }, budget)).revision;
    return { revision, records: [], remaining: 0 };
  }
  const response = await rangeThatFits(
    client,
    {
      ...layout.objects(query.namespace, newestFirst ? undefined : after),
      limit,
      revision: at,
      ...(newestFirst && { newestFirst, maxModRevision }),
    },
    budget,
  );
  return {
    revision: at ?? response.revision,
    records: response.kvs.flatMap((kv) => layout.record(kv) ?? []),
    next: positionOf(layout, response, newestFirst),
    // The count of etcd knows no revisions: it is that of the whole range.
    remaining: maxModRevision === undefined ? response.count - response.kvs.length : undefined,
  };
}

/** A page. Without terms it is full; with terms it is what a bounded search found. */
export async function readList(reading: Reading, query: ListQuery): Promise<ListPage> {
  const { limit, terms = [] } = query;
  const searching = terms.length > 0;
  const records: EventRecord[] = [];
  let { at, after } = query;
  for (let read = 0; ;) {
    const step = searching ? SEARCH_STEP : limit - records.length;
    const progress = await readStep(reading, query, at, after, step);
    at = progress.revision;
    read += step;
    for (const [index, record] of progress.records.entries()) {
      if (searching && !fits(record, terms)) continue;
      records.push(record);
      const isLast = progress.next === undefined && index === progress.records.length - 1;
      if (searching && records.length === limit && !isLast) {
        const next = query.order === 'newest-first' ? { ...record.key, revision: record.revision } : record.key;
        return { records, revision: at, next };
      }
    }
    const { next, remaining } = progress;
    if (next === undefined || records.length >= limit || (searching && read >= SEARCH_MOST)) {
      return {
        records,
        revision: at,
        ...(next !== undefined && { next }),
        ...(!searching && remaining !== undefined && { remaining }),
      };
    }
    after = next;
  }
}
