import type { SqlConnection, SqlStatement } from './driver.js';
import type { HistoryBounds } from './history.js';
import { prepareWriteState, type State } from './state.js';
import { createBatchWriter, type BatchWriter } from './write-batch.js';

/** Everything that belongs to one connection. */
export interface Session {
  readonly connection: SqlConnection;
  readonly writer: BatchWriter;
  saveState(state: State): void;
  readonly pageBytes: number;
  prepare(sql: string): SqlStatement;
}

/** Prepares what is used all the time. */
export function createSession(connection: SqlConnection, bounds: HistoryBounds): Session {
  const prepared = new Map<string, SqlStatement>();
  return {
    connection,
    writer: createBatchWriter(connection, bounds),
    saveState: prepareWriteState(connection),
    pageBytes: Number(connection.prepare('PRAGMA page_size').get()?.['page_size']),
    prepare(sql) {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = connection.prepare(sql);
        prepared.set(sql, statement);
      }
      return statement;
    },
  };
}
