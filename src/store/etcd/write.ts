import { conflict, exists, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';
import type { Budget, EtcdClient } from './client.js';
import { verdictOf } from './failure.js';
import type { Fence, LostCreate } from './fence.js';
import type { KnownExpiries } from './known-expiries.js';
import type { Layout } from './layout.js';
import type { Compare, KeyValue, Step, TxnRequest, TxnResponse } from './messages.js';

/** What writes need. */
export interface WriteDependencies {
  readonly client: EtcdClient;
  readonly layout: Layout;
  readonly known: KnownExpiries;
  readonly fence: Fence;
}

const NO_BYTES = new Uint8Array(0);

/** The failed branch of a conditional write reads the key, so that one round trip says why. */
function refusal(layout: Layout, key: EventKey, expected: Revision, kvs: readonly KeyValue[] = []): StoreError {
  const record = kvs[0] === undefined ? undefined : layout.record(kvs[0]);
  return record === undefined ? notFound(keyText(key)) : conflict(keyText(key), record.revision, expected);
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

/**
 * A member that has just reached its space quota **does** the write and answers with the refusal. It is a final answer:
 * nothing is on its way any more, and a linearizable read tells.
 */
async function lookAfterRefusal<T>(read: () => Promise<T>, refused: StoreError): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isStoreError(error)) throw error;
    throw storeError('unknown-outcome', `a write met the space quota of etcd: ${refused.message}`, { cause: error });
  }
}

/** A conditional write of an event at `expected`, which cannot happen twice. */
async function write(
  { client, layout }: WriteDependencies,
  request: TxnRequest,
  key: EventKey,
  expected: Revision,
  budget: Budget,
): Promise<TxnResponse> {
  try {
    return await client.txn(request, budget);
  } catch (error) {
    if (!isStoreError(error) || verdictOf(error.cause) !== 'no-space') throw error;
    const { kvs } = await lookAfterRefusal(() => client.range({ key: layout.objectKey(key) }, budget), error);
    const unchanged = kvs[0]?.modRevision === expected;
    if (unchanged && !budget.doubt) throw error;
    if (unchanged || budget.changed !== true) {
      budget.changed = !unchanged;
      throw storeError('unknown-outcome', `a write met the space quota of etcd: ${error.message}`, { cause: error });
    }
    throw refusal(layout, key, expected, kvs);
  }
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
  const success: Step[] = [
    { type: 'put', key: objectKey, value },
    { type: 'put', key: layout.indexKey(key, expiresAt), value: NO_BYTES },
  ];
  const failure: Step[] = [
    { type: 'range', key: objectKey },
    { type: 'range', key: layout.fenceKey },
  ];
  for (;;) {
    const since = client.seen();
    const compare: Compare[] = [
      { key: objectKey, target: 'create', result: 'equal', value: 0 },
      { key: layout.fenceKey, target: 'mod', result: 'equal', value: fence.revision() },
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
  const objectKey = layout.objectKey(key);
  const value = layout.value(event, expiresAt);
  const before = await expiryAt(context, key, expected, budget);
  const success: Step[] = [
    { type: 'put', key: objectKey, value },
    { type: 'put', key: layout.indexKey(key, expiresAt), value: NO_BYTES },
  ];
  // A transaction may touch a key only once.
  if (before !== expiresAt) success.push({ type: 'delete', key: layout.indexKey(key, before) });
  const { succeeded, revision, steps } = await write(
    context,
    {
      compare: [{ key: objectKey, target: 'mod', result: 'equal', value: expected }],
      success,
      failure: [{ type: 'range', key: objectKey }],
    },
    key,
    expected,
    budget,
  );
  if (!succeeded) throw refusal(layout, key, expected, steps[0]);
  return written(context, objectKey, value, revision);
}

/** Deletes the event at `expected` and its index entry. */
export async function removeOne(
  context: WriteDependencies,
  key: EventKey,
  expected: Revision,
  budget: Budget,
): Promise<EventRecord> {
  const { layout } = context;
  const objectKey = layout.objectKey(key);
  const expiresAt = await expiryAt(context, key, expected, budget);
  const { succeeded, revision, steps } = await write(
    context,
    {
      compare: [{ key: objectKey, target: 'mod', result: 'equal', value: expected }],
      success: [
        { type: 'delete', key: objectKey },
        { type: 'delete', key: layout.indexKey(key, expiresAt) },
      ],
      failure: [{ type: 'range', key: objectKey }],
    },
    key,
    expected,
    budget,
  );
  const last = steps[0]?.[0];
  const record = succeeded && last !== undefined ? layout.record(last, revision) : undefined;
  if (record === undefined) throw refusal(layout, key, expected, succeeded ? [] : steps[0]);
  return record;
}
