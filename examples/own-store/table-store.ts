import { storeError, systemClock } from 'kube-vitals';
import type { Change, Clock, EncodedEvent, EventKey, EventRecord, EventStore } from 'kube-vitals';
import type { ListPage, ListQuery, Revision, StoreCall } from 'kube-vitals';

/** One line of history: what a row of a database table would be. */
interface Row {
  readonly type: Change['type'];
  readonly record: EventRecord;
  /** When it was written, microseconds. */
  readonly at: number;
}

/** The "database": it outlives the stores that work on it. */
export interface Table {
  rows: Row[];
  /** The oldest revision that can still be read. */
  floor: Revision;
  latest: Revision;
}

export const createTable = (): Table => ({ rows: [], floor: 1000, latest: 1000 });

export interface TableStoreOptions {
  readonly table: Table;
  readonly clock?: Clock;
  readonly historyMs?: number;
}

const idOf = ({ namespace, name }: EventKey): string => `${namespace}/${name}`;

export function tableStore({ table, clock = systemClock, historyMs = 600_000 }: TableStoreOptions): EventStore {
  let closed = false;
  const sleepers = new Set<() => void>();
  const wakeAll = (): void => sleepers.forEach((wake) => wake());

  const begin = (call: StoreCall | undefined): void => {
    if (closed) throw storeError('closed', 'the table store is closed');
    call?.signal?.throwIfAborted();
  };

  /** The last row of each key up to a revision: deletions too. */
  const rowsAt = (revision: Revision): Map<string, Row> => {
    const rows = new Map<string, Row>();
    for (const row of table.rows) if (row.record.revision <= revision) rows.set(idOf(row.record.key), row);
    return rows;
  };

  const current = (key: EventKey): EventRecord | undefined => {
    const row = rowsAt(table.latest).get(idOf(key));
    return row?.type === 'put' ? row.record : undefined;
  };

  /** The record at the expected revision, or the error that says why not. */
  const expect = (key: EventKey, expected: Revision | undefined): EventRecord => {
    const record = current(key);
    if (record === undefined) throw storeError('not-found', `${idOf(key)} does not exist`);
    if (expected !== undefined && expected !== record.revision) {
      throw storeError('conflict', `${idOf(key)} is at ${record.revision}`);
    }
    return record;
  };

  const append = (type: Change['type'], key: EventKey, event: EncodedEvent, expiresAt: number): EventRecord => {
    const record: EventRecord = { key: { ...key }, revision: table.latest + 1, event, expiresAt };
    table.rows.push({ type, record, at: clock.now() });
    table.latest = record.revision;
    forget();
    wakeAll();
    return record;
  };

  const put = (key: EventKey, event: EncodedEvent, expiresAt: number): EventRecord => {
    if (event.bytes.length > 1_000_000) throw storeError('too-large', `${idOf(key)} is too large`);
    return append('put', key, structuredClone(event), expiresAt);
  };

  const bury = ({ key, event, expiresAt }: EventRecord): EventRecord => append('delete', key, event, expiresAt);

  const forget = (): void => {
    const old = table.rows.filter(({ at }) => at < clock.now() - historyMs * 1000);
    const floor = Math.max(table.floor, ...old.map(({ record }) => record.revision));
    if (floor === table.floor) return;
    const visible = rowsAt(floor);
    table.rows = table.rows.filter((row) => {
      const isLast = visible.get(idOf(row.record.key)) === row;
      return row.record.revision > floor || (isLast && row.type === 'put');
    });
    table.floor = floor;
  };

  const list = ({ namespace, at = table.latest, after, limit, order }: ListQuery): ListPage => {
    if (!(Number.isSafeInteger(limit) && limit >= 1)) throw new TypeError('list: give a limit of at least 1');
    if (at > table.latest) throw storeError('future-revision', `${at} lies ahead`, { current: table.latest });
    if (at < table.floor) throw storeError('expired', `${at} is forgotten`, { current: table.floor });
    const bytes = (key: EventKey): Buffer => Buffer.from(idOf(key));
    const newestFirst = order === 'newest-first';
    const left = [...rowsAt(at).values()]
      .filter((row) => row.type === 'put')
      .map((row) => row.record)
      .filter((record) => namespace === undefined || record.key.namespace === namespace)
      .filter((record) => {
        if (after === undefined) return true;
        if (newestFirst) return record.revision < (after.revision ?? Infinity);
        return Buffer.compare(bytes(record.key), bytes(after)) > 0;
      })
      .sort((a, b) => (newestFirst ? b.revision - a.revision : Buffer.compare(bytes(a.key), bytes(b.key))));
    const records = left.slice(0, limit);
    const last = records.at(-1);
    const page = { records, revision: at, remaining: left.length - records.length };
    if (last === undefined || page.remaining === 0) return page;
    return { ...page, next: newestFirst ? { ...last.key, revision: last.revision } : last.key };
  };

  /** The changes after a revision, each with the state before it. */
  const changesAfter = (revision: Revision): readonly Change[] =>
    table.rows
      .filter(({ record }) => record.revision > revision)
      .map(({ type, record }) => {
        const before = rowsAt(record.revision - 1).get(idOf(record.key));
        const change = { type, key: record.key, revision: record.revision, record };
        return before?.type === 'put' ? { ...change, previous: before.record } : change;
      });

  /** Ends with the next write, with the signal, and with the store. */
  const sleep = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });

  return {
    name: 'table',
    capabilities: {
      durable: true,
      shared: false,
      newestFirst: 'scan',
      remaining: true,
      maxEventBytes: 1_000_000,
    },
    async get(key, call) {
      begin(call);
      return current(key);
    },
    async list(query) {
      begin(query);
      return list(query);
    },
    async create(key, event, call) {
      begin(call);
      if (current(key) !== undefined) throw storeError('exists', `${idOf(key)} exists already`);
      return put(key, event, call.expiresAt);
    },
    async replace(key, event, call) {
      begin(call);
      expect(key, call.expected);
      return put(key, event, call.expiresAt);
    },
    async remove(key, call) {
      begin(call);
      return bury(expect(key, call?.expected));
    },
    async expire(call) {
      begin(call);
      const due = [...rowsAt(table.latest).values()]
        .filter(({ type, record }) => type === 'put' && record.expiresAt <= call.now)
        .slice(0, call.limit);
      for (const { record } of due) bury(record);
      return due.length;
    },
    async *changes({ after, signal }) {
      if (closed) throw storeError('closed', 'the table store is closed');
      for (let position = after; !closed && signal?.aborted !== true;) {
        if (position < table.floor) throw storeError('expired', `${position} is forgotten`, { current: table.floor });
        const batch = changesAfter(position);
        position = batch.at(-1)?.revision ?? position;
        if (batch.length > 0) yield batch;
        else await sleep(signal);
      }
    },
    async revision(call) {
      begin(call);
      return table.latest;
    },
    async ping(call) {
      begin(call);
    },
    async close() {
      closed = true;
      wakeAll();
    },
  };
}
