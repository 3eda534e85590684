import { createBoundedCache } from '../../cache/bounded-cache.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';
import type { Budget } from './budget.js';
import type { EtcdClient } from './client.js';
import { verdictOf } from './failure.js';
import type { Fence, LostCreate } from './fence.js';
import type { Layout } from './layout.js';
import { drop, get, put, type KeyValue, type Step, type TxnResponse } from './connection.js';

/** How many expiries are remembered. */
const MOST = 4096;

/**
 * The expiry of events that were read or written lately. A replace and a removal have to delete the old entry of the expiry
 * index, whose key contains it: usually the event was read just before, and no further read is needed. The transaction
 * compares the revision, so an entry for another revision does no harm.
 */
export function createKnownExpiries() {
  const known = createBoundedCache<string, Pick<EventRecord, 'revision' | 'expiresAt'>>({ maxEntries: MOST });
  return {
    note: ({ key, revision, expiresAt }: EventRecord): void => known.set(keyText(key), { revision, expiresAt }),
    at(key: EventKey, revision: Revision): number | undefined {
      const found = known.get(keyText(key));
      return found?.revision === revision ? found.expiresAt : undefined;
    },
  };
}

/** What writes need. */
export interface WriteDependencies {
  readonly client: EtcdClient;
  readonly layout: Layout;
  readonly known: ReturnType<typeof createKnownExpiries>;
  readonly fence: Fence;
}

export async function readOne(
  { client, layout, known }: WriteDependencies,
  key: EventKey,
  budget: Budget,
): Promise<EventRecord | undefined> {
  const {
    kvs: [kv],
  } = await client.range({ key: layout.objectKey(key) }, budget);
  const record = kv && layout.record(kv);
  if (record) known.note(record);
  return record;
}

/** The record that a transaction has written. */
function written(
  { layout, known }: WriteDependencies,
  key: Uint8Array,
  value: Uint8Array,
  revision: Revision,
): EventRecord {
  const record = layout.record({ key, value, createRevision: revision, modRevision: revision, version: 1 });
  if (record === undefined) throw new TypeError('the event has no usable sidecar: give cut and expiresAt');
  known.note(record);
  return record;
}

function metQuota({ message }: StoreError, cause: unknown): StoreError {
  return storeError('unknown-outcome', `a write met the space quota of etcd: ${message}`, { cause });
}

/**
 * A member that has just reached its space quota **does** the write and answers with the refusal. That answer is final:
 * nothing is pending any more, and a linearizable read tells.
 */
async function lookAfterRefusal<T>(read: () => Promise<T>, refused: StoreError): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw metQuota(refused, error);
  }
}

/** Writes over the event at `expected`, which cannot happen twice. */
async function write(
  { client, layout }: WriteDependencies,
  key: EventKey,
  expected: Revision,
  success: readonly Step[],
  budget: Budget,
): Promise<TxnResponse> {
  const objectKey = layout.objectKey(key);
  const refusal = ([kv]: readonly KeyValue[] = []): StoreError => {
    const record = kv && layout.record(kv);
    return record === undefined ? notFound(keyText(key)) : conflict(keyText(key), record.revision, expected);
  };
  try {
    const compare = [{ key: objectKey, revision: expected }];
    const response = await client.txn({ compare, success, failure: [get(objectKey)] }, budget);
    if (response.succeeded) return response;
    throw refusal(response.steps[0]);
  } catch (error) {
    if (!isStoreError(error) || verdictOf(error.cause) !== 'no-space') throw error;
    const { kvs } = await lookAfterRefusal(() => client.range({ key: objectKey }, budget), error);
    const unchanged = kvs[0]?.modRevision === expected;
    if (unchanged && !budget.doubt) throw error;
    if (unchanged || budget.changed !== true) {
      budget.changed = !unchanged;
      throw metQuota(error, error);
    }
    throw refusal(kvs);
  }
}

/** The steps that put an event and its index entry. */
function puts({ layout }: WriteDependencies, key: EventKey, value: Uint8Array, expiresAt: number): Step[] {
  return [put(layout.objectKey(key), value), put(layout.indexKey(key, expiresAt))];
}

/** Puts a new event and its index entry, once: the outcome of a lost attempt is found out before the next. */
export async function createOne(
  context: WriteDependencies,
  key: EventKey,
  event: EncodedEvent,
  expiresAt: number,
  budget: Budget,
): Promise<EventRecord> {
  const { client, layout, known, fence } = context;
  const objectKey = layout.objectKey(key);
  const value = layout.value(event, expiresAt);
  const success = puts(context, key, value, expiresAt);
  const failure = [get(objectKey), get(layout.fenceKey)];
  for (;;) {
    const since = client.seen();
    const compare = [
      { key: objectKey, revision: 0 },
      { key: layout.fenceKey, revision: fence.revision() },
    ];
    let response: TxnResponse;
    try {
      response = await client.txnOnce({ compare, success, failure }, budget);
    } catch (error) {
      const created = await createdAfterAll(context, { key, uid: event.uid, since }, budget, error);
      if (created === undefined) continue;
      known.note(created);
      return created;
    }
    const { succeeded, revision, steps } = response;
    if (succeeded) return written(context, objectKey, value, revision);
    if (steps[0]?.[0] !== undefined) throw exists(keyText(key));
    fence.saw(steps[1]?.[0]?.modRevision ?? 0);
  }
}

/** What a failed create did. `undefined`: nothing, and it never will, so that it can be repeated. */
async function createdAfterAll(
  context: WriteDependencies,
  lost: LostCreate,
  budget: Budget,
  error: unknown,
): Promise<EventRecord | undefined> {
  if (!isStoreError(error)) throw error;
  if (verdictOf(error.cause) === 'no-space') {
    const record = await lookAfterRefusal(() => readOne(context, lost.key, budget), error);
    if (record === undefined) throw error;
    if (record.event.uid !== lost.uid) throw exists(keyText(lost.key));
    return record;
  }
  if (error.code !== 'unknown-outcome') throw error;
  const created = await context.fence.resolveLost(context.client, lost, budget).catch(() => {
    throw error;
  });
  budget.doubt = false;
  return created;
}

/** The moment in the index entry of an event at a revision. */
async function expiryAt(
  context: WriteDependencies,
  key: EventKey,
  expected: Revision,
  budget: Budget,
): Promise<number> {
  const known = context.known.at(key, expected);
  if (known !== undefined) return known;
  const record = await readOne(context, key, budget);
  if (record === undefined) throw notFound(keyText(key));
  if (record.revision !== expected) throw conflict(keyText(key), record.revision, expected);
  return record.expiresAt;
}

/** Puts a new state over the one at `expected`, and moves its index entry. */
export async function replaceOne(
  context: WriteDependencies,
  key: EventKey,
  event: EncodedEvent,
  { expected, expiresAt }: { readonly expected: Revision; readonly expiresAt: number },
  budget: Budget,
): Promise<EventRecord> {
  const { layout } = context;
  const value = layout.value(event, expiresAt);
  const before = await expiryAt(context, key, expected, budget);
  const success = puts(context, key, value, expiresAt);
  // A transaction may touch a key only once.
  if (before !== expiresAt) success.push(drop(layout.indexKey(key, before)));
  const { revision } = await write(context, key, expected, success, budget);
  return written(context, layout.objectKey(key), value, revision);
}

/** Deletes the event at `expected` and its index entry. */
export async function removeOne(
  context: WriteDependencies,
  key: EventKey,
  expected: Revision,
  budget: Budget,
): Promise<EventRecord> {
  const { layout } = context;
  const expiresAt = await expiryAt(context, key, expected, budget);
  const success = [drop(layout.objectKey(key)), drop(layout.indexKey(key, expiresAt))];
  const { revision, steps } = await write(context, key, expected, success, budget);
  const last = steps[0]?.[0];
  const record = last && layout.record(last, revision);
  if (record === undefined) throw notFound(keyText(key));
  return record;
}
