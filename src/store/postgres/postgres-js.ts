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
 * @throws TypeError when the argument is no such function.
 */
export function postgresJsClient(sql: PostgresJsSql): PostgresClient {
  throwFaults('postgresJsClient', required(aDriver)(sql, 'the argument'));
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
