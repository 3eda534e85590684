import { createEventStore, createPagedFeeds, storeError, systemClock } from 'kube-vitals/store';
import type { Change, Clock, EncodedEvent, EventKey, EventRecord, EventStore } from 'kube-vitals/store';
import type { ListPage, ListQuery, Revision } from 'kube-vitals/store';

/** An entry of the log: a row of a database table. */
interface Row {
  readonly type: Change['type'];
  readonly record: EventRecord;
  /** When it was written, in microseconds. */
  readonly at: number;
}

/** The "database": it still exists when a store on it has been closed. */
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
  /** The last row of each key up to a revision, which may be a deletion. */
  const rowsAt = (revision: Revision): Map<string, Row> => {
    const rows = new Map<string, Row>();
    for (const row of table.rows) if (row.record.revision <= revision) rows.set(idOf(row.record.key), row);
    return rows;
  };

  const current = (key: EventKey): EventRecord | undefined => {
    const row = rowsAt(table.latest).get(idOf(key));
    return row?.type === 'put' ? row.record : undefined;
  };

  /** The record at the expected revision, or the error with the reason. */
  const expect = (key: EventKey, expected: Revision | undefined): EventRecord => {
    const record = current(key);
    if (record === undefined) throw storeError('not-found', `${idOf(key)} does not exist`);
    if (expected !== undefined && expected !== record.revision) {
      throw storeError('conflict', `${idOf(key)} is at ${record.revision}`);
    }
    return record;
  };

  const append = (type: Change['type'], key: EventKey, event: EncodedEvent, expiresAt: number): EventRecord => {
    const record: EventRecord = { key, revision: table.latest + 1, event, expiresAt };
    table.rows.push({ type, record, at: clock.now() });
    table.latest = record.revision;
    dropHistory();
    feeds.wake();
    return record;
  };

  const addDeletion = ({ key, event, expiresAt }: EventRecord): EventRecord => append('delete', key, event, expiresAt);

  const dropHistory = (): void => {
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
    if (at > table.latest) throw storeError('future-revision', `${at} is in the future`, { current: table.latest });
    if (at < table.floor) throw storeError('expired', `${at} has expired`, { current: table.floor });
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
  const changesAfter = (revision: Revision): readonly Change[] => {
    if (revision < table.floor) throw storeError('expired', `${revision} has expired`, { current: table.floor });
    return table.rows
      .filter(({ record }) => record.revision > revision)
      .map(({ type, record }) => {
        const before = rowsAt(record.revision - 1).get(idOf(record.key));
        const change = { type, key: record.key, revision: record.revision, record };
        return before?.type === 'put' ? { ...change, previous: before.record } : change;
      });
  };
  const feeds = createPagedFeeds({ read: changesAfter });

  return createEventStore({
    name: 'table',
    capabilities: {
      durable: true,
      shared: false,
      newestFirst: true,
      remaining: true,
      maxEventBytes: 1_000_000,
    },
    get: current,
    list,
    create(key, event, { expiresAt }) {
      if (current(key) !== undefined) throw storeError('exists', `${idOf(key)} already exists`);
      return append('put', key, event, expiresAt);
    },
    replace(key, event, { expected, expiresAt }) {
      expect(key, expected);
      return append('put', key, event, expiresAt);
    },
    remove: (key, { expected }) => addDeletion(expect(key, expected)),
    expire({ now, limit }) {
      const due = [...rowsAt(table.latest).values()]
        .filter(({ type, record }) => type === 'put' && record.expiresAt <= now)
        .slice(0, limit);
      for (const { record } of due) addDeletion(record);
      return due.length;
    },
    feed: feeds.open,
    revision: () => table.latest,
    ping: () => undefined,
  });
}
