import type { Clock } from '../../clock/clock.js';
import type { PostgresClient, PostgresValue } from './client.js';
import { failureOf, type RequestKind } from './failures.js';
import { quoted } from './names.js';

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

/** What the parts of a store share. */
export interface StoreParts {
  readonly client: PostgresClient;
  readonly requests: Requests;
  /** As it was given, not quoted. */
  readonly schema: string;
  readonly timeoutMs: number;
  /** For deadlines, polls and pauses, which are real ones. */
  readonly timers: Clock;
  /** The time where it is not the database's. */
  readonly clock: Clock | undefined;
  /** Receives what went wrong in the background; it is tried again. */
  onError(error: unknown): void;
}

/**
 * How long an abandoned read keeps its connection, in milliseconds. Most have their answer by then, and a new
 * connection costs the server more than that; a slow one must not hold a connection that others need.
 */
const ABANDONED_MS = 250;

/** Makes {@link Requests}. A request that has no answer in time gives up its connection, whatever the driver does. */
export function createRequests(parts: Omit<StoreParts, 'requests' | 'clock' | 'onError'>): Requests {
  const { client, schema, timeoutMs, timers } = parts;
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
      throw failureOf(error, kind, quoted(schema));
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
