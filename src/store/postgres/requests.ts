import { onAbort } from '../../clock/abortable.js';
import type { Clock } from '../../clock/clock.js';
import type { PostgresClient, PostgresValue } from './client.js';
import type { StoreError } from '../contract/errors.js';
import { failureOf, stateOf, type RequestKind } from './failures.js';
import { quoted } from './names.js';

/** One row: every column is a text or null. */
export type Row = Readonly<Record<string, string | null>>;

/** A statement with the name it is prepared under where that is possible. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface StoreParts {
  readonly client: PostgresClient;
  readonly requests: ReturnType<typeof createRequests>;
  /** Not quoted. */
  readonly schema: string;
  readonly timeoutMs: number;
  /** For deadlines, polls and pauses, in real time. */
  readonly timers: Clock;
  /** The time of history, if not the database's. */
  readonly clock: Clock | undefined;
}

/** The time to stamp rows with, as a parameter; null: that of the database. */
export function stampOf(clock: Clock | undefined): string | null {
  return clock === undefined ? null : String(Math.floor(clock.now()));
}

/** How long an abandoned read keeps its connection, in milliseconds: enough for most; a new connection costs more. */
const ABANDONED_MS = 250;

/**
 * The server executed nothing: the statement that was prepared on a connection is missing on it, or one of that name is
 * there already.
 */
const UNPREPARED: ReadonlySet<unknown> = new Set(['26000', '42P05']);

/** Another transaction committed first, and nothing was written: only where transactions are not read committed. */
const SERIALIZATION_FAILURE = '40001';

/** For how long a write that failed stands for those after it (ms), unless one succeeds: there may be none to prove it. */
const REFUSED_MS = 30_000;

/** Fails with StoreErrors only. A request without a result in time ends at its deadline, whatever the driver does. */
export function createRequests({ client, schema, timeoutMs, timers }: Omit<StoreParts, 'requests' | 'clock'>) {
  let prepares = false;
  let isPooled = false;
  let respondedAt = -Infinity;
  let silence: StoreError | undefined;
  let refused: { readonly failure: StoreError; readonly at: number } | undefined;

  const send = async (
    kind: RequestKind,
    { name, text }: Statement,
    values: readonly PostgresValue[],
    abandoned?: AbortSignal,
  ): Promise<readonly Row[]> => {
    abandoned?.throwIfAborted();
    const preparedAs = prepares ? name : undefined;
    const deadline = new AbortController();
    let timer = timers.setTimer(() => deadline.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    const shortenTimeout = (): void => {
      timer.cancel();
      timer = timers.setTimer(() => deadline.abort(abandoned?.reason), ABANDONED_MS);
    };
    const unlisten = onAbort(abandoned, shortenTimeout);
    try {
      const { signal } = deadline;
      const result = client.query(text, values, { signal, abandoned, name: preparedAs });
      // The driver's error comes first: at the deadline it shows whether anything was sent.
      const late = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => setTimeout(resolve, 0), { once: true });
      }).then(() => Promise.reject(signal.reason as Error));
      late.catch(() => undefined);
      const { rows } = await Promise.race([result, late]);
      respondedAt = timers.monotonic();
      silence = undefined;
      return rows as readonly Row[];
    } catch (error) {
      const failure = failureOf(error, kind, quoted(schema));
      if (abandoned?.aborted !== true) silence = stateOf(failure) === undefined ? failure : undefined;
      if (preparedAs !== undefined && UNPREPARED.has(stateOf(failure))) {
        isPooled = true;
        prepares = false;
        return await send(kind, { name, text }, values, abandoned);
      }
      // Without a response: a commit may wait for a standby that is away.
      if (failure.onlyWrites === true || (kind === 'write' && deadline.signal.aborted)) {
        refused = { failure, at: timers.monotonic() };
      }
      throw failure;
    } finally {
      unlisten();
      timer.cancel();
    }
  };

  /** Repeats what commits of others made fail: the default isolation level may change after the store was opened. */
  const repeat = async (...request: Parameters<typeof send>): Promise<readonly Row[]> => {
    const end = timers.monotonic() + timeoutMs / 2;
    for (;;) {
      try {
        return await send(...request);
      } catch (error) {
        if (stateOf(error) !== SERIALIZATION_FAILURE || timers.monotonic() >= end) throw error;
      }
    }
  };

  return {
    /**
     * `signal`: the result is no longer needed. A statement not sent by then never is. Without it the deadline abandons
     * it: a poll that waits for a lock must not leave a query behind with each attempt.
     */
    read: (
      statement: Statement,
      values: readonly PostgresValue[],
      signal: AbortSignal = new AbortController().signal,
    ): Promise<readonly Row[]> => repeat('read', statement, values, signal),
    write: (statement: Statement, values: readonly PostgresValue[]): Promise<readonly Row[]> =>
      repeat('write', statement, values),
    /** Whether the database has sent no response for half of a deadline, since a request was sent at `since`. */
    isSilent: (since: number): boolean => timers.monotonic() - Math.max(respondedAt, since) >= timeoutMs / 2,
    /** Why the database sent no response to the latest request that ended. */
    silence: (): StoreError | undefined => silence,
    wrote(): void {
      refused = undefined;
    },
    /** The failure of the latest write, if those after it will probably fail as well. */
    refusedWrite: (): StoreError | undefined =>
      refused !== undefined && timers.monotonic() - refused.at < REFUSED_MS ? refused.failure : undefined,
    /**
     * The connections are the server's own, not a pooler's: from now on statements are prepared, until an error shows
     * that a connection is used by others as well.
     */
    prepare(): void {
      prepares = !isPooled;
    },
  };
}
