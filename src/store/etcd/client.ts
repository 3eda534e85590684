import { storeError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import { pause } from '../../clock/abortable.js';
import { withinBudget, type Budget } from './budget.js';
import type {
  Connection,
  Pending,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
  WatchHandle,
  WatchListener,
  WatchRequest,
  WatchResponse,
} from './connection.js';
import { etcdFailure, reasonOf, UNAVAILABLE, verdictOf } from './failure.js';
import type { EtcdSettings } from './options.js';

/** See {@link createEtcdClient}. */
export type EtcdClient = ReturnType<typeof createEtcdClient>;

interface Watched {
  readonly connection: Connection;
  readonly listener: WatchListener;
  cancel(): void;
}

/** A client of whichever member answers. Everything fails with a StoreError. */
export function createEtcdClient(connections: readonly Connection[], settings: EtcdSettings) {
  const { clock, login, requestTimeoutMs, operationTimeoutMs } = settings;
  /** Watches that are not in here are ignored. */
  const watches = new Set<Watched>();
  let current = 0;
  let token: Promise<string> | undefined;
  let seen = 0;

  const connectionNow = (): Connection => connections[current % connections.length] as Connection;

  /** Switches to the next member, unless another call has already. */
  const leave = (connection: Connection): void => {
    if (connections.length === 1 || connectionNow() !== connection) return;
    current = (current + 1) % connections.length;
    for (const watch of [...watches]) {
      if (watch.connection !== connection) continue;
      watch.cancel();
      watch.listener.end(
        etcdFailure(UNAVAILABLE, `the client switched from ${connection.endpoint} to another member`, true),
      );
    }
  };

  /** One attempt, within its own time and the budget. */
  const attempt = async <T>(pending: Pending<T>, { end, signal }: Budget): Promise<T> => {
    const cancel = (): void => pending.cancel();
    const timer = clock.setTimer(cancel, Math.max(1, Math.min(requestTimeoutMs, end - clock.monotonic())));
    signal?.addEventListener('abort', cancel);
    try {
      return await pending.done;
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', cancel);
    }
  };

  /** The token for a request. Concurrent calls share one login. */
  const tokenFor = async (connection: Connection, budget: Budget): Promise<string | undefined> => {
    if (login === undefined) return undefined;
    if (token === undefined) {
      const { username, password } = login;
      const asked = attempt(connection.authenticate(username, password), budget).catch((failure: unknown) => {
        if (token === asked) token = undefined;
        // A lost login changed nothing.
        if (verdictOf(failure) === 'doubt') throw etcdFailure(UNAVAILABLE, reasonOf(failure), false);
        throw failure;
      });
      token = asked;
    }
    return withinBudget(clock, token, budget);
  };

  const stopped = (failure: unknown, { doubt }: Budget): Error => {
    const message = doubt ? 'was lost during a write' : `(${settings.endpoints.join(', ')}) is not available`;
    const code = doubt ? 'unknown-outcome' : 'unavailable';
    return storeError(code, `etcd ${message}: ${reasonOf(failure)}`, { cause: failure });
  };

  /** Tries until it works, the budget ends, or etcd refuses. */
  const persist = async <T>(
    start: (connection: Connection, token: string | undefined) => Pending<T>,
    budget: Budget,
    what: 'read' | 'write' | 'once',
  ): Promise<T> => {
    let renewals = 0;
    let failure: unknown = new Error('the time is up');
    for (let tries = 1; ; tries++) {
      budget.signal?.throwIfAborted();
      if (clock.monotonic() >= budget.end) throw stopped(failure, budget);
      const connection = connectionNow();
      const begun = clock.monotonic();
      try {
        return await attempt(start(connection, await tokenFor(connection, budget)), budget);
      } catch (caught) {
        failure = caught;
      }
      budget.signal?.throwIfAborted();
      const verdict = verdictOf(failure);
      switch (verdict) {
        case 'doubt':
          leave(connection);
          if (what !== 'read') budget.doubt = true;
          if (what === 'once') throw stopped(failure, budget);
          break;
        case 'away':
          leave(connection);
          break;
        case 'token':
          token = undefined;
          if (login === undefined || ++renewals > 2) throw stopped(failure, budget);
          continue;
        case 'compacted':
          throw storeError('expired', 'etcd has compacted this revision', { cause: failure });
        case 'future':
          throw storeError('future-revision', 'this revision lies ahead', { cause: failure });
        case 'too-large':
        case 'answer-too-large':
          // gRPC has the same message for both directions: the answer to a write is small.
          if (verdict === 'answer-too-large' && what === 'read') throw failure;
          throw storeError('too-large', `etcd: ${reasonOf(failure)}`, { cause: failure });
        case 'no-space':
          throw storeError(
            'unavailable',
            'etcd has reached its space quota and accepts no writes: compact and defragment it, then disarm the NOSPACE ' +
              `alarm (${reasonOf(failure)})`,
            { cause: failure, onlyWrites: true },
          );
        case 'refused':
          throw stopped(failure, budget);
      }
      // Avoids a tight loop of refusals. The first failure of each member leads to the next one without delay.
      const quick = clock.monotonic() - begun < requestTimeoutMs / 2;
      const left = budget.end - clock.monotonic();
      if (left > 0 && quick && tries >= connections.length) {
        await pause(clock, Math.min(20 * 2 ** Math.min(tries, 4), left), budget.signal);
      }
    }
  };

  const noted = <T extends { readonly revision: Revision }>(response: T): T => {
    seen = Math.max(seen, response.revision);
    return response;
  };

  return {
    budget: (signal: AbortSignal | undefined): Budget => ({
      end: clock.monotonic() + operationTimeoutMs,
      signal,
      doubt: false,
    }),
    /** Fails with `expired`, `future-revision` and `answer-too-large` (an EtcdFailure) besides `unavailable`. */
    async range(request: RangeRequest, budget: Budget): Promise<RangeResponse> {
      return noted(await persist((connection, given) => connection.range(request, given), budget, 'read'));
    },
    /**
     * A transaction that is repeated until its budget ends, whatever becomes of single attempts. If its conditions do not
     * hold after a lost attempt, or the budget ends after one, it fails with `unknown-outcome`.
     */
    async txn(request: TxnRequest, budget: Budget): Promise<TxnResponse> {
      const response = noted(await persist((connection, given) => connection.txn(request, given), budget, 'write'));
      if (response.succeeded || !budget.doubt) return response;
      // The conditions may fail because the lost attempt happened. The outcome of a repetition by the caller is
      // certain.
      budget.doubt = false;
      throw storeError('unknown-outcome', 'a write was lost on its way to etcd');
    },
    /** A transaction that must not be repeated: fails with `unknown-outcome` as soon as an attempt got lost. */
    async txnOnce(request: TxnRequest, budget: Budget): Promise<TxnResponse> {
      return noted(await persist((connection, given) => connection.txn(request, given), budget, 'once'));
    },
    /** The latest revision in any answer of etcd. */
    seen: (): Revision => seen,
    async compact(revision: number, budget: Budget): Promise<void> {
      await persist((connection, given) => connection.compact(revision, given), budget, 'read');
    },
    /** The size of the database of the member that answers, in bytes. */
    bytesInUse: (budget: Budget): Promise<number> =>
      persist((connection, given) => connection.bytesInUse(given), budget, 'read'),
    /** Opens one watch on one member; the listener is told of its failure. Leaving the member ends its watches. */
    async watch(request: WatchRequest, listener: WatchListener, budget: Budget): Promise<WatchHandle> {
      const connection = connectionNow();
      const given = await tokenFor(connection, budget);
      const entry: Watched = {
        connection,
        listener,
        cancel() {
          watches.delete(entry);
          handle.cancel();
        },
      };
      watches.add(entry);
      const handle = connection.watch(request, given, {
        response(response) {
          if (!watches.has(entry)) return;
          // With authentication the reason may be an old token.
          if (response.canceled && response.compactRevision === 0) token = undefined;
          listener.response(response);
        },
        end(failure) {
          if (!watches.delete(entry)) return;
          leave(connection);
          listener.end(failure);
        },
      });
      return { ...handle, cancel: entry.cancel };
    },
    /** Cancels all watches, with this response. */
    endWatches(last: WatchResponse): void {
      for (const watch of [...watches]) {
        watch.cancel();
        watch.listener.response(last);
      }
    },
    close(): void {
      for (const connection of connections) connection.close();
    },
  };
}
