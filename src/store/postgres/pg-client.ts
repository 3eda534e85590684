import { untilAborted } from '../../clock/abortable.js';
import { cancelQuery, type CancellableClient } from './cancel-query.js';
import { notSent, type PostgresCall, type PostgresClient } from './client.js';
import { createPgListen } from './pg-listen.js';

/** The part of a client of `pg` that the store uses. */
export interface PgPoolClient extends CancellableClient {
  /** Runs a statement. */
  query(config: {
    /** The statement, with the parameters `$1`, `$2` and so on. */
    text: string;
    /** The values of the parameters, in order. */
    values: unknown[];
    /** The name to prepare the statement under. Absent: it is not prepared. */
    name?: string;
  }): Promise<{
    /** The rows, with a member for each column. */
    rows: object[];
  }>;
  /** Listens for notifications and errors. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(
    event: 'notification',
    listener: (message: {
      /** The channel of the notification. */
      channel: string;
      /** The text of the notification. Absent: empty. */
      payload?: string | undefined;
    }) => void,
  ): unknown;
  /** Stops listening. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'end', listener: () => void): unknown;
  removeListener(
    event: 'notification',
    listener: (message: {
      /** The channel of the notification. */
      channel: string;
    }) => void,
  ): unknown;
  /** The listeners of an event. */
  listeners(event: 'error'): readonly unknown[];
  /** Returns the connection to the pool; with `true` the connection is closed. */
  release(destroy?: boolean): void;
}

/** The part of a `Pool` of `pg`, version 8, that the store uses. */
export interface PgPool {
  /** Takes a connection out of the pool. */
  connect(): Promise<PgPoolClient>;
  /** Listens for errors of idle connections. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'acquire', listener: (client: PgPoolClient) => void): unknown;
  /** Stops listening. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'acquire', listener: (client: PgPoolClient) => void): unknown;
  /** The options of the pool. If `max` is 1, no connection is held for LISTEN. */
  readonly options?:
    | {
        /** The maximum number of connections. */
        readonly max?: number | undefined;
      }
    | undefined;
}

/** For errors of idle or broken clients: the next query reports them, and without a listener they end the process. */
const ignoreError = (): void => undefined;

/** Whether an error of the server leaves the connection usable: not where its code means that the connection ends. */
function leavesUsable(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:57P|08)/.test(code);
}

async function connected(pool: PgPool, signal: AbortSignal): Promise<PgPoolClient> {
  const connecting = pool.connect();
  try {
    return await untilAborted(connecting, signal);
  } catch (error) {
    // A client that still arrives goes back at once.
    connecting.then((client) => client.release()).catch(ignoreError);
    throw notSent(error);
  }
}

interface SharedPool {
  readonly listen: NonNullable<PostgresClient['listen']>;
  stores: number;
}

/** The pools that stores use, as if this were a property of the pool. */
const sharedPools = new WeakMap<PgPool, SharedPool>();

// The pool removes its own listener from a client before it hands the client over. An error in the same bytes as the
// end of the start-up arrives in between, and would end the process.
function guard(client: PgPoolClient): void {
  if (!client.listeners('error').includes(ignoreError)) client.on('error', ignoreError);
}

/** A `Pool` of `pg`, which is not ended. All stores on it share its error listeners and its LISTEN connection. */
export function pgClient(pool: PgPool): PostgresClient {
  const shared = sharedPools.get(pool) ?? { stores: 0, listen: createPgListen((signal) => connected(pool, signal)) };
  shared.stores += 1;
  if (shared.stores === 1) {
    sharedPools.set(pool, shared);
    pool.on('error', ignoreError);
    pool.on('acquire', guard);
  }

  const query = async (text: string, values: readonly unknown[], { name, signal, abandoned }: PostgresCall) => {
    const client = await connected(pool, signal);
    let usable = abandoned?.aborted === true;
    try {
      if (usable) throw notSent(abandoned?.reason);
      const result = client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      result.catch(ignoreError);
      const { rows } = await untilAborted(result, signal);
      usable = true;
      return { rows };
    } catch (error) {
      usable = usable || (!signal.aborted && leavesUsable(error));
      throw error;
    } finally {
      // This destroys a connection with a running query, and never waits for a frozen server. An abandoned read is
      // cancelled first. A write never is: one that waits for its standby would count as done.
      if (!usable && signal.aborted && abandoned !== undefined)
        void cancelQuery(client).then(() => client.release(true));
      else client.release(!usable);
    }
  };

  return {
    query,
    ...(pool.options?.max === 1 ? {} : { listen: shared.listen }),
    async close() {
      shared.stores -= 1;
      if (shared.stores > 0) return;
      sharedPools.delete(pool);
      pool.removeListener('error', ignoreError);
      pool.removeListener('acquire', guard);
    },
  };
}
