import { throwFaults } from '../../options/check-options.js';
import { anObjectWith, required } from '../../options/rules.js';
import { createBatcher } from '../batching/batcher.js';
import { notSent, type PostgresCall, type PostgresClient } from './client.js';

const aDriver = /* @__PURE__ */ anObjectWith(['unsafe', 'listen'], 'what postgres() of the package postgres returned');

/** The most connections of an instance without the option `max`. */
const DEFAULT_MAX = 10;

/** Statements of the store that may be the subquery of another. */
const HAS_ROWS = /^(SELECT|WITH)\s/;

/** The promise of the rows of a query of the driver `postgres`. */
export type PendingRows = PromiseLike<readonly object[]>;

interface Waiting extends Pick<PostgresCall, 'name' | 'abandoned'> {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The part of the `sql` function of the driver `postgres`, version 3, that is used. */
export interface PostgresJsSql {
  /** Runs a statement with values. */
  unsafe(
    text: string,
    values: never[],
    options: {
      /** Whether to prepare the statement. */
      prepare: boolean;
    },
  ): PendingRows;
  /** Listens on a channel. */
  listen(
    channel: string,
    onNotify: (payload: string) => void,
    onListen: () => void,
  ): Promise<{
    /** Stops listening. */
    unlisten(): Promise<void>;
  }>;
}

/**
 * The driver `postgres` as a {@link PostgresClient}. It listens on a connection of its own, and again after that
 * connection was lost. `sql` is not ended by the store.
 *
 * @throws TypeError when the argument is not such a function, or has a `transform` that changes columns, values or
 * rows.
 */
export function postgresJsClient(sql: PostgresJsSql): PostgresClient {
  throwFaults('postgresJsClient', [...required(aDriver)(sql, 'the argument'), ...transformFaults(sql)]);
  // A query of the driver must not be cancelled: if it waits behind another one of its connection, the next one gets its
  // rows, and a server that cannot be reached is an unhandled rejection. So those that may be given up wait here.
  const statements = createBatcher<Waiting, readonly object[]>({
    maxItems: 1,
    concurrency: (sql as OptionsOfSql).options?.max ?? DEFAULT_MAX,
    run: (waiting) =>
      Promise.all(
        waiting.map(({ text, values, name, abandoned }) => {
          if (abandoned?.aborted) throw notSent(abandoned.reason);
          return checked(text, values, name !== undefined);
        }),
      ),
  });
  let sent = 0;
  /**
   * Sends a statement with a number that its rows must repeat. After a lost connection, version 3.4.9 of the driver may
   * give a statement the rows of another, and a write must not be acknowledged with them.
   */
  const checked = async (text: string, values: readonly unknown[], prepare: boolean): Promise<readonly object[]> => {
    if (!HAS_ROWS.test(text)) return sql.unsafe(text, [...values] as never[], { prepare });
    const number = String(++sent);
    const numbered = `SELECT $${values.length + 1}::text AS statement_number, result.* FROM (${text}) AS result`;
    const result = await sql.unsafe(numbered, [...values, number] as never[], { prepare });
    // Without the elements that the driver has left unset.
    const rows = result.filter(() => true);
    if (rows.every((row) => (row as { statement_number?: unknown }).statement_number === number)) return rows;
    throw new Error('the driver postgres returned the rows of another statement');
  };
  return {
    async query(text, values, { name, signal, abandoned }) {
      try {
        return { rows: await statements.add({ text, values, name, abandoned }, signal) };
      } catch (error) {
        throw signal.aborted && error === signal.reason ? notSent(error) : error;
      }
    },
    async listen(channel, onNotify) {
      const listening = await sql.listen(channel, onNotify, () => onNotify(''));
      return () => listening.unlisten();
    },
  };
}

/** Options of the driver, as it keeps them. Of `transform`, `from` changes what is read. */
interface OptionsOfSql {
  readonly options?: {
    readonly max?: number;
    readonly transform?: { readonly [Part in 'column' | 'value' | 'row']?: { readonly from?: unknown } };
  };
}

/** The store reads rows by the names and values of its own statements: if they are changed, every call would fail. */
function transformFaults(sql: unknown): readonly string[] {
  const { column, value, row } = (sql as OptionsOfSql | undefined)?.options?.transform ?? {};
  if (!column?.from && !value?.from && !row?.from) return [];
  return [
    'the argument has the option transform, which changes the rows that it reads: give the store an instance of postgres() without it',
  ];
}
