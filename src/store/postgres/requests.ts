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
  read(statement: Statement, values: readonly PostgresValue[]): Promise<readonly Row[]>;
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

/** Makes {@link Requests}. A request that has no answer in time gives up its connection, whatever the driver does. */
export function createRequests({ client, schema, timeoutMs, timers }: RequestsOptions): Requests {
  let prepares = false;

  const send = async (
    kind: RequestKind,
    { name, text }: Statement,
    values: readonly PostgresValue[],
  ): Promise<readonly Row[]> => {
    const deadline = new AbortController();
    const timer = timers.setTimer(() => {
      deadline.abort(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      const { signal } = deadline;
      const answer = client.query(text, values, prepares ? { name, signal } : { signal });
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
      timer.cancel();
    }
  };

  return {
    read: (statement, values) => send('read', statement, values),
    write: (statement, values) => send('write', statement, values),
    prepare() {
      prepares = true;
    },
  };
}
