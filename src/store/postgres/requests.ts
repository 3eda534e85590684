import type { Clock } from '../../clock/clock.js';
import type { PostgresClient, PostgresValue } from './client.js';
import { failureOf, type RequestKind } from './failures.js';

/** One row: every column is a text or null. */
export type Row = Readonly<Record<string, string | null>>;

/** A statement with the name it is prepared under where that is possible. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Sends statements with a deadline, and fails with StoreErrors only. */
export interface Requests {
  /** `signal`: the result is no longer needed. What was not sent by then never is, and the connection comes free soon. */
  read(statement: Statement, values: readonly PostgresValue[], signal?: AbortSignal): Promise<readonly Row[]>;
  write(statement: Statement, values: readonly PostgresValue[]): Promise<readonly Row[]>;
  /** The connections are the server's own, not a pooler's: from now on statements are prepared. */
  prepare(): void;
}

/** For {@link createRequests}. */
export interface RequestsOptions {
  readonly client: PostgresClient;
  /** The schema, quoted. */
  readonly schema: string;
  readonly timeoutMs: number;
  /** For the deadlines, which are real ones. */
  readonly timers: Clock;
}

/**
 * How long an abandoned read keeps its connection, in milliseconds. Most have their answer by then, and a new
 * connection costs the server more than that; a slow one must not hold a connection that others need.
 */
const ABANDONED_MS = 250;

/** Makes {@link Requests}. A request that has no answer in time gives up its connection, whatever the driver does. */
export function createRequests({ client, schema, timeoutMs, timers }: RequestsOptions): Requests {
  let prepares = false;

  const send = async (
    kind: RequestKind,
    { name, text }: Statement,
    values: readonly PostgresValue[],
    abandoned?: AbortSignal,
  ): Promise<readonly Row[]> => {
    abandoned?.throwIfAborted();
    const deadline = new AbortController();
    let timer = timers.setTimer(() => {
      deadline.abort(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const hurry = (): void => {
      timer.cancel();
      timer = timers.setTimer(() => deadline.abort(abandoned?.reason), ABANDONED_MS);
    };
    abandoned?.addEventListener('abort', hurry, { once: true });
    try {
      const { signal } = deadline;
      const call = abandoned === undefined ? { signal } : { signal, abandoned };
      const answer = client.query(text, values, prepares ? { ...call, name } : call);
      // The driver is asked first: at the deadline it knows whether anything was sent.
      const late = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => setTimeout(resolve, 0), { once: true });
      }).then(() => Promise.reject(signal.reason as Error));
      late.catch(() => undefined);
      const { rows } = await Promise.race([answer, late]);
      return rows as readonly Row[];
    } catch (error) {
      throw failureOf(error, kind, schema);
    } finally {
      abandoned?.removeEventListener('abort', hurry);
      timer.cancel();
    }
  };

  return {
    read: (statement, values, signal) => send('read', statement, values, signal),
    write: (statement, values) => send('write', statement, values),
    prepare() {
      prepares = true;
    },
  };
}
