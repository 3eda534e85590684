import { messageOf } from '../../model/error-message.js';

/** The type of a statement's parameter. Numbers are sent as texts: drivers differ in how they handle large ones. */
export type PostgresValue = string | Uint8Array | null;

/** Options of one call of {@link PostgresClient.query}. */
export interface PostgresCall {
  /** A name to prepare the statement under. Absent: it must not be prepared (a pooler may be in between). */
  readonly name?: string | undefined;
  /** Aborted at the deadline: close the connection, because the response is no longer awaited. */
  readonly signal: AbortSignal;
  /**
   * Present for reads that can be abandoned, and aborted when the response is no longer needed: a statement that was
   * not sent yet must not be sent. One that was sent may run until `signal` is aborted, and may then be cancelled.
   */
  readonly abandoned?: AbortSignal | undefined;
}

/**
 * The part of a driver that `postgresStore` needs. `pg` is adapted by the store itself, `postgres` by
 * `postgresJsClient`; anything else can be wrapped by hand.
 *
 * Errors of the server must carry their SQLSTATE in `code`, as both drivers do. An error thrown before anything was
 * sent may have the property `notSent: true`; without it the store has to treat the outcome of a write as unknown.
 */
export interface PostgresClient {
  /**
   * Runs one statement in a transaction of its own, on any connection to the primary. Every column of every statement
   * is a text or null.
   */
  query(
    text: string,
    values: readonly PostgresValue[],
    call: PostgresCall,
  ): Promise<{
    /** The rows, with a member for each column. */
    readonly rows: readonly object[];
  }>;
  /**
   * Listens on a channel, on a connection that is kept. Resolves when the server has confirmed it. `onNotify` is called
   * for each notification, and once more whenever the driver had to listen again; `onLost` when it ended. The
   * resolved function ends the listening. Without `listen` the store polls.
   */
  listen?(channel: string, onNotify: (payload: string) => void, onLost: () => void): Promise<() => Promise<void>>;
  /** Frees what belongs to the client. Called by `close()` of the store. */
  close?(): Promise<void>;
}

/** An error after which it is certain that nothing was sent. */
export function notSent(cause: unknown): Error {
  const code = (cause as { code?: unknown } | null | undefined)?.code;
  return Object.assign(new Error(messageOf(cause), { cause }), { notSent: true, code });
}
