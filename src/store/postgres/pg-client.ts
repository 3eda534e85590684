import { untilAborted } from '../../clock/abortable.js';
import { cancelQuery, type CancellableClient } from './cancel-query.js';
import { notSent, type PostgresCall, type PostgresClient } from './client.js';

/** What is used of a client of `pg`. */
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
  /** Gives the connection back; with an error or `true` it is closed. */
  release(destroy?: boolean): void;
}

/** What is used of a `Pool` of `pg`, version 8. */
export interface PgPool {
  /** Takes a connection out of the pool. */
  connect(): Promise<PgPoolClient>;
  /** Listens for errors of idle connections. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'acquire', listener: (client: PgPoolClient) => void): unknown;
  /** Stops listening. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'acquire', listener: (client: PgPoolClient) => void): unknown;
  /** Of a pool with a single connection none is held for LISTEN. */
  readonly options?:
    | {
        /** The most connections of the pool. */
        readonly max?: number | undefined;
      }
    | undefined;
}

/** The longest wait for the answer to a LISTEN, an UNLISTEN or a heartbeat, in milliseconds. */
const LISTEN_TIMEOUT_MS = 5_000;
/** A held connection whose other end has vanished reports nothing by itself. */
const HEARTBEAT_MS = 15_000;

/**
 * For errors of idle or broken clients, which the next query reports. Without a listener they would end the process.
 */
const ignoreError = (): void => undefined;

/** A server's own error leaves the connection usable, unless the server says that it is ending it (class 57). */
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

/**
 * A `Pool` of `pg` as a {@link PostgresClient}. The pool and its clients get listeners for errors, beside those they
 * have; it is not ended.
 */
export function pgClient(pool: PgPool): PostgresClient {
  // The pool removes its own listener from a client before it hands the client over. An error in the same bytes as the
  // end of the start-up arrives in between, and would end the process. Several stores on one pool need one such
  // listener.
  const guard = (client: PgPoolClient): void => {
    if (!client.listeners('error').includes(ignoreError)) client.on('error', ignoreError);
  };
  pool.on('error', ignoreError);
  pool.on('acquire', guard);

  const query = async (text: string, values: readonly unknown[], { name, signal, abandoned }: PostgresCall) => {
    const client = await connected(pool, signal);
    let usable = abandoned?.aborted === true;
    try {
      if (usable) throw notSent(abandoned?.reason);
      const config = { text, values: [...values] };
      const answer = client.query(name === undefined ? config : { ...config, name });
      answer.catch(ignoreError);
      const { rows } = await untilAborted(answer, signal);
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

  const listen: PostgresClient['listen'] = async (channel, onNotify, onLost) => {
    const timeout = (): AbortSignal => AbortSignal.timeout(LISTEN_TIMEOUT_MS);
    const client = await connected(pool, timeout());
    let over = false;
    let heartbeat: ReturnType<typeof setInterval> | undefined = undefined;
    const run = async (text: string): Promise<void> => {
      const answer = client.query({ text, values: [] });
      answer.catch(ignoreError);
      await untilAborted(answer, timeout());
    };
    const release = (usable: boolean): void => {
      if (over) return;
      over = true;
      clearInterval(heartbeat);
      client.removeListener('error', lose);
      client.removeListener('end', lose);
      client.removeListener('notification', onNotification);
      client.release(!usable);
    };
    const lose = (): void => {
      if (over) return;
      release(false);
      onLost();
    };
    const onNotification = (message: { channel: string; payload?: string | undefined }): void => {
      if (message.channel === channel) onNotify(message.payload ?? '');
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', onNotification);
    try {
      await run(`LISTEN "${channel}"`);
    } catch (error) {
      release(false);
      throw error;
    }
    heartbeat = setInterval(() => void run('SELECT 1').catch(lose), HEARTBEAT_MS);
    heartbeat.unref();
    return async () => {
      if (over) return;
      const usable = await run(`UNLISTEN "${channel}"`).then(
        () => true,
        () => false,
      );
      release(usable);
    };
  };

  return {
    query,
    ...(pool.options?.max === 1 ? {} : { listen }),
    async close() {
      pool.removeListener('error', ignoreError);
      pool.removeListener('acquire', guard);
    },
  };
}
