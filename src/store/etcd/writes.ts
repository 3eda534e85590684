import { createBoundedCache } from '../../cache/bounded-cache.js';
import { conflict, exists, notFound } from '../contract/conditions.js';
import { keyText } from '../contract/keys.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { ReplaceOptions } from '../contract/event-store.js';
import type { EncodedEvent, EventKey, EventRecord, Revision } from '../contract/record.js';
import type { CallContext } from './call-context.js';
import { failureClassOf } from './failure.js';
import type { Fence, LostCreate } from './fence.js';
import type { Layout } from './layout.js';
import type { LiftedClient } from './lifted-client.js';
import { drop, get, put, type Step, type TxnResponse } from './connection.js';

/**
 * The expiry times of recent events. A replace and a removal have to delete the old entry of the expiry index, whose
 * key contains it. The transaction compares the revision, so that a wrong entry does no harm.
 */
export function createKnownExpiries() {
  const known = createBoundedCache<string, Pick<EventRecord, 'revision' | 'expiresAt'>>({ maxEntries: 4096 });
  return {
    note: ({ key, revision, expiresAt }: EventRecord): void => known.set(keyText(key), { revision, expiresAt }),
    at(key: EventKey, revision: Revision): number | undefined {
      const found = known.get(keyText(key));
      return found?.revision === revision ? found.expiresAt : undefined;
    },
  };
}

function quotaReached({ message }: StoreError, cause: unknown): StoreError {
  return storeError('unknown-outcome', `the space quota of etcd was reached during a write: ${message}`, { cause });
}

/** A member that has just reached its quota **applies** the write, and yet responds with an error: read it. */
function readAfterRefusal<T>(reading: Promise<T>, refused: StoreError): Promise<T> {
  return reading.catch((error: unknown) => {
    throw isStoreError(error) ? quotaReached(refused, error) : error;
  });
}

export function createWrites(client: LiftedClient, layout: Layout, fence: Fence) {
  const known = createKnownExpiries();

  const readOne = async (key: EventKey, context: CallContext): Promise<EventRecord | undefined> => {
    const { kvs } = await client.range({ key: layout.objectKey(key) }, context);
    const record = kvs[0] && layout.record(kvs[0]);
    if (record !== undefined) known.note(record);
    return record;
  };

  const refusal = (key: EventKey, expected: Revision, record: EventRecord | undefined): StoreError =>
    record === undefined ? notFound(keyText(key)) : conflict(keyText(key), record.revision, expected);

  /** Replaces or deletes the event at `expected`, a condition that cannot hold twice. */
  const write = async (
    key: EventKey,
    expected: Revision,
    success: readonly Step[],
    context: CallContext,
  ): Promise<TxnResponse> => {
    const objectKey = layout.objectKey(key);
    try {
      const compare = [{ key: objectKey, revision: expected }];
      const response = await client.txn({ compare, success, failure: [get(objectKey)] }, context);
      if (response.succeeded) return response;
      const kv = response.steps[0]?.[0];
      throw refusal(key, expected, kv && layout.record(kv));
    } catch (error) {
      if (!isStoreError(error) || failureClassOf(error.cause) !== 'no-space') throw error;
      const { kvs } = await readAfterRefusal(client.range({ key: objectKey }, context), error);
      const unchanged = kvs[0]?.modRevision === expected;
      if (unchanged && !context.outcomeUnknown) throw error;
      if (unchanged || context.changed !== true) {
        context.changed = !unchanged;
        throw quotaReached(error, error);
      }
      throw refusal(key, expected, kvs[0] && layout.record(kvs[0]));
    }
  };

  /** What a failed create did. `undefined`: nothing, and it never will, so that it can be repeated. */
  const createdAfterAll = async (
    lost: LostCreate,
    context: CallContext,
    error: unknown,
  ): Promise<EventRecord | undefined> => {
    if (!isStoreError(error)) throw error;
    if (failureClassOf(error.cause) === 'no-space') {
      const record = await readAfterRefusal(readOne(lost.key, context), error);
      if (record === undefined) throw error;
      if (record.event.uid !== lost.uid) throw exists(keyText(lost.key));
      return record;
    }
    if (error.code !== 'unknown-outcome') throw error;
    const created = await fence.resolveLost(lost, context).catch(() => {
      throw error;
    });
    context.outcomeUnknown = false;
    return created;
  };

  const expiryAt = async (key: EventKey, expected: Revision, context: CallContext): Promise<number> => {
    const expiresAt = known.at(key, expected);
    if (expiresAt !== undefined) return expiresAt;
    const record = await readOne(key, context);
    if (record?.revision !== expected) throw refusal(key, expected, record);
    return record.expiresAt;
  };

  const putting = (key: EventKey, event: EncodedEvent, expiresAt: number) => {
    const objectKey = layout.objectKey(key);
    const value = layout.value(event, expiresAt);
    return {
      steps: [put(objectKey, value), put(layout.indexKey(key, expiresAt))],
      written(revision: Revision): EventRecord {
        const kv = { key: objectKey, value, createRevision: revision, modRevision: revision, version: 1 };
        const record = layout.record(kv);
        if (record === undefined)
          throw new TypeError('cut must be an offset in the bytes of the event, and expiresAt a number');
        known.note(record);
        return record;
      },
    };
  };

  return {
    get: (key: EventKey, context: CallContext): Promise<EventRecord | undefined> => readOne(key, context),
    /** Puts a new event and its index entry, once: the outcome of a lost attempt is found out before the next. */
    async create(key: EventKey, event: EncodedEvent, expiresAt: number, context: CallContext): Promise<EventRecord> {
      const objectKey = layout.objectKey(key);
      const { steps: success, written } = putting(key, event, expiresAt);
      const failure = [get(objectKey), get(layout.fenceKey)];
      for (;;) {
        const since = client.seen();
        const compare = [
          { key: objectKey, revision: 0 },
          { key: layout.fenceKey, revision: fence.revision() },
        ];
        let response: TxnResponse;
        try {
          response = await client.txnOnce({ compare, success, failure }, context);
        } catch (error) {
          const created = await createdAfterAll({ key, uid: event.uid, since }, context, error);
          if (created === undefined) continue;
          known.note(created);
          return created;
        }
        const { succeeded, revision, steps } = response;
        if (succeeded) return written(revision);
        if (steps[0]?.[0] !== undefined) throw exists(keyText(key));
        fence.saw(steps[1]?.[0]?.modRevision ?? 0);
      }
    },
    async replace(
      key: EventKey,
      event: EncodedEvent,
      { expected, expiresAt }: ReplaceOptions,
      context: CallContext,
    ): Promise<EventRecord> {
      const { steps, written } = putting(key, event, expiresAt);
      const before = await expiryAt(key, expected, context);
      // A transaction may touch a key only once.
      if (before !== expiresAt) steps.push(drop(layout.indexKey(key, before)));
      return written((await write(key, expected, steps, context)).revision);
    },
    async remove(key: EventKey, expected: Revision, context: CallContext): Promise<EventRecord> {
      const expiresAt = await expiryAt(key, expected, context);
      const success = [drop(layout.objectKey(key)), drop(layout.indexKey(key, expiresAt))];
      const { revision, steps } = await write(key, expected, success, context);
      const last = steps[0]?.[0];
      const record = last && layout.record(last, revision);
      if (record === undefined) throw notFound(keyText(key));
      return record;
    },
  };
}
