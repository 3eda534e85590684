import { throwFaults } from '../../options/check-options.js';
import { anObjectWith, required } from '../../options/rules.js';
import type { PostgresClient } from './client.js';

const aDriver = /* @__PURE__ */ anObjectWith(['unsafe', 'listen'], 'what postgres() of the package postgres returned');

/** The pending rows of a query of the driver `postgres`. */
export interface PendingRows extends PromiseLike<readonly object[]> {
  /** Cancels the query. */
  cancel?(): void;
}

/** What is used of the `sql` function of the driver `postgres`, version 3. */
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
 * The driver `postgres` as a {@link PostgresClient}. It listens on a connection of its own and again after every loss.
 * `sql` is not ended by the store.
 *
 * @throws TypeError when the argument is no such function, or has a `transform` that changes columns, values or rows.
 */
export function postgresJsClient(sql: PostgresJsSql): PostgresClient {
  throwFaults('postgresJsClient', [...required(aDriver)(sql, 'the argument'), ...transformFaults(sql)]);
  return {
    async query(text, values, { name, signal }) {
      const rows = sql.unsafe(text, [...values] as never[], { prepare: name !== undefined });
      const cancel = (): void => rows.cancel?.();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return { rows: await rows };
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    async listen(channel, onNotify) {
      const listening = await sql.listen(channel, onNotify, () => onNotify(''));
      return () => listening.unlisten();
    },
  };
}

/** The driver's option `transform`, as the driver keeps it: `from` changes what is read. */
interface TransformingSql {
  readonly options?: {
    readonly transform?: { readonly [Part in 'column' | 'value' | 'row']?: { readonly from?: unknown } };
  };
}

/** Rows are read by the names and values that the statements of the store ask for: with others every call would fail. */
function transformFaults(sql: unknown): readonly string[] {
  const { column, value, row } = (sql as TransformingSql | undefined)?.options?.transform ?? {};
  if (!column?.from && !value?.from && !row?.from) return [];
  return [
    'the argument has the option transform, which changes the rows that it reads: give the store an instance of postgres() without it',
  ];
}
