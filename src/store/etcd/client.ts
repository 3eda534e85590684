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
import { etcdFailure, reasonOf, verdictOf } from './failure.js';
import type { EtcdSettings } from './options.js';

/** etcd, whichever of its members answers. Everything fails with a StoreError. */
export interface EtcdClient {
  budget(signal: AbortSignal | undefined): Budget;
  /** Fails with `expired`, `future-revision` and `answer-too-large` (an EtcdFailure) besides `unavailable`. */
  range(request: RangeRequest, budget: Budget): Promise<RangeResponse>;
  /**
   * A transaction that may be repeated: until its budget ends, whatever becomes of single attempts. When its conditions do
   * not hold after a lost attempt, or the budget ends after one, it fails with `unknown-outcome`.
   */
  txn(request: TxnRequest, budget: Budget): Promise<TxnResponse>;
  /** A transaction that must not be repeated: fails with `unknown-outcome` as soon as an attempt got lost. */
  txnOnce(request: TxnRequest, budget: Budget): Promise<TxnResponse>;
  /** The latest revision that etcd has told. */
  seen(): Revision;
  compact(revision: number, budget: Budget): Promise<void>;
  /** What is in the database of the member that answers, bytes. */
  bytesInUse(budget: Budget): Promise<number>;
  /** On one member, once; the failure tells the listener. A member that is left takes its watches along. */
  watch(request: WatchRequest, listener: WatchListener, budget: Budget): Promise<WatchHandle>;
  /** Cancels all watches, with this response. */
  endWatches(last: WatchResponse): void;
  close(): void;
}

interface Watched {
  readonly connection: Connection;
  readonly listener: WatchListener;
  cancel(): void;
}

/** Makes the client over connections to all members. */
export function createEtcdClient(connections: readonly Connection[], settings: EtcdSettings): EtcdClient {
  const { clock, login, requestTimeoutMs, operationTimeoutMs } = settings;
  /** Nothing is heard any more of a watch that is not in here. */
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
      watch.listener.end(etcdFailure(14, `${connection.endpoint} was left`, true));
    }
  };

  /** One attempt, within the time of one and of the whole. */
  const attempt = async <T>(pending: Pending<T>, { end, signal }: Budget): Promise<T> => {
    const timer = clock.setTimer(
      () => pending.cancel(),
      Math.max(1, Math.min(requestTimeoutMs, end - clock.monotonic())),
    );
    const abort = (): void => pending.cancel();
    signal?.addEventListener('abort', abort);
    try {
      return await pending.done;
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
    }
  };

  /** The token to send along. Several calls may wait for the one that one of them asks for. */
  const tokenFor = (
    { username, password }: NonNullable<typeof login>,
    connection: Connection,
    budget: Budget,
  ): Promise<string> => {
    if (token === undefined) {
      const asked = attempt(connection.authenticate(username, password), budget).catch((failure: unknown) => {
        if (token === asked) token = undefined;
        // A login that got lost changed nothing.
        if (verdictOf(failure) === 'doubt') throw etcdFailure(14, reasonOf(failure), false);
        throw failure;
      });
      token = asked;
    }
    return withinBudget(clock, token, budget);
  };

  const unavailable = (failure: unknown): Error =>
    storeError('unavailable', `etcd (${settings.endpoints.join(', ')}) is not available: ${reasonOf(failure)}`, {
      cause: failure,
    });

  const stopped = (failure: unknown, budget: Budget): Error =>
    budget.doubt
      ? storeError('unknown-outcome', `etcd was lost during a write: ${reasonOf(failure)}`, { cause: failure })
      : unavailable(failure);

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
        const given = login && (await tokenFor(login, connection, budget));
        return await attempt(start(connection, given), budget);
      } catch (caught) {
        failure = caught;
      }
      budget.signal?.throwIfAborted();
      switch (verdictOf(failure)) {
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
          throw storeError('too-large', `etcd: ${reasonOf(failure)}`, { cause: failure });
        case 'answer-too-large':
          // The words of gRPC for both directions: the answer to a write is small.
          if (what !== 'read') throw storeError('too-large', `etcd: ${reasonOf(failure)}`, { cause: failure });
          throw failure;
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
      // Members that refuse at once are not asked in a tight loop. A first failure goes to the next member without delay.
      const quick = clock.monotonic() - begun < requestTimeoutMs / 2;
      const left = budget.end - clock.monotonic();
      if (left > 0 && quick && tries >= connections.length) {
        await pause(clock, Math.min(20 * 2 ** Math.min(tries, 4), left), budget.signal);
      }
    }
  };

  const told = <T extends { readonly revision: Revision }>(response: T): T => {
    seen = Math.max(seen, response.revision);
    return response;
  };

  return {
    budget: (signal) => ({ end: clock.monotonic() + operationTimeoutMs, signal, doubt: false }),
    async range(request, budget) {
      return told(await persist((connection, given) => connection.range(request, given), budget, 'read'));
    },
    async txn(request, budget) {
      const response = told(await persist((connection, given) => connection.txn(request, given), budget, 'write'));
      if (response.succeeded || !budget.doubt) return response;
      // The conditions may fail because the lost attempt happened. Asked again, this one says so for certain.
      budget.doubt = false;
      throw storeError('unknown-outcome', 'a write was lost on its way to etcd');
    },
    async txnOnce(request, budget) {
      return told(await persist((connection, given) => connection.txn(request, given), budget, 'once'));
    },
    seen: () => seen,
    async compact(revision, budget) {
      await persist((connection, given) => connection.compact(revision, given), budget, 'read');
    },
    bytesInUse: (budget) => persist((connection, given) => connection.bytesInUse(given), budget, 'read'),
    async watch(request, listener, budget) {
      const connection = connectionNow();
      const given = login && (await tokenFor(login, connection, budget));
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
          // With authentication this may be nothing but an old token.
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
    endWatches(last) {
      for (const watch of [...watches]) {
        watch.cancel();
        watch.listener.response(last);
      }
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}
