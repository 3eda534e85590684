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
import { drop, get, isAt, isNew, put, type KeyValue, type Step, type TxnResponse } from './connection.js';

/** How many expiries are remembered. */
const MOST = 4096;

/**
 * When the events expire that were read or written lately. A replace and a removal have to delete the old entry of the
 * expiry index, whose key holds the moment: mostly the event was read just before, so that no further read is needed.
 * The transaction compares the revision, so what is remembered of another revision does no harm.
 */
export interface KnownExpiries {
  note(record: EventRecord): void;
  /** When the event at this revision expires, if that is remembered. */
  at(key: EventKey, revision: Revision): number | undefined;
}

/** Remembers the latest. */
export function createKnownExpiries(): KnownExpiries {
  const known = createBoundedCache<string, { readonly revision: Revision; readonly expiresAt: number }>({
    maxEntries: MOST,
  });
  const idOf = ({ namespace, name }: EventKey): string => `${namespace}/${name}`;
  return {
    note({ key, revision, expiresAt }) {
      known.set(idOf(key), { revision, expiresAt });
    },
    at(key, revision) {
      const found = known.get(idOf(key));
      return found?.revision === revision ? found.expiresAt : undefined;
    },
  };
}

/** What writes need. */
export interface WriteDependencies {
  readonly client: EtcdClient;
  readonly layout: Layout;
  readonly known: KnownExpiries;
  readonly fence: Fence;
}

/** The event as it stands, for a get. */
export async function readOne(
  { client, layout, known }: WriteDependencies,
  key: EventKey,
  budget: Budget,
): Promise<EventRecord | undefined> {
  const { kvs } = await client.range({ key: layout.objectKey(key) }, budget);
  const record = kvs[0] === undefined ? undefined : layout.record(kvs[0]);
  if (record !== undefined) known.note(record);
  return record;
}

/** What was written, at the revision that it got: one object a transaction, so each has its own. */
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
 * A member that has just reached its space quota **does** the write and answers with the refusal. It is a final answer:
 * nothing is on its way any more, and a linearizable read tells.
 */
async function lookAfterRefusal<T>(read: () => Promise<T>, refused: StoreError): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw metQuota(refused, error);
  }
}

/** A write over the event at `expected`, which cannot happen twice. Where it fails one round trip says why. */
async function write(
  { client, layout }: WriteDependencies,
  {
    key,
    expected,
    success,
  }: { readonly key: EventKey; readonly expected: Revision; readonly success: readonly Step[] },
  budget: Budget,
): Promise<TxnResponse> {
  const objectKey = layout.objectKey(key);
  const refusal = ([kv]: readonly KeyValue[] = []): StoreError => {
    const record = kv && layout.record(kv);
    return record === undefined ? notFound(keyText(key)) : conflict(keyText(key), record.revision, expected);
  };
  try {
    const compare = [isAt(objectKey, expected)];
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

/** Puts an event and its index entry where there is none, once: what became of a lost attempt is found out before the next. */
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
    const compare = [isNew(objectKey), isAt(layout.fenceKey, fence.revision())];
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

/** What a create did that failed. `undefined`: nothing, and it never will, so that it can be tried again. */
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

/** The moment in the index entry of an event at a revision. Read where it is not remembered. */
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
  const { revision } = await write(context, { key, expected, success }, budget);
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
  const { revision, steps } = await write(context, { key, expected, success }, budget);
  const last = steps[0]?.[0];
  const record = last && layout.record(last, revision);
  if (record === undefined) throw notFound(keyText(key));
  return record;
}
