import { messageOf } from '../../model/error-message.js';
import { hasCode, storeError, type StoreError } from '../contract/errors.js';
import { onAbort, pause } from '../../clock/abortable.js';
import { createDelays } from '../../clock/backoff.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { withinDeadline, type CallContext } from './call-context.js';
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
} from './connection.js';
import { DEADLINE_EXCEEDED, type EtcdFailure, etcdFailure, UNAVAILABLE, failureClassOf } from './failure.js';
import type { EtcdSettings } from './options.js';

const FIRST_DELAY_MS = 40;
const MAX_DELAY_MS = 320;

export type EtcdClient = ReturnType<typeof createEtcdClient>;

/** The result of a transaction; `undefined`: it got lost, and whether it happened is unknown. */
export function unlessLost<T>(sent: Promise<T>): Promise<T | undefined> {
  return sent.catch((error: unknown) => {
    if (!hasCode(error, 'unknown-outcome')) throw error;
    return undefined;
  });
}

interface Watched {
  readonly connection: Connection;
  readonly listener: WatchListener;
  cancel(): void;
}

/** A client of a cluster, which uses any member that is available. Every call fails only with a StoreError. */
export function createEtcdClient(connections: readonly Connection[], settings: EtcdSettings) {
  const { clock, login, requestTimeoutMs, operationTimeoutMs } = settings;
  /** Watches that are not in here are ignored. */
  const watches = new Set<Watched>();
  let current = 0;
  /** Resolves with `undefined` while authentication is not enabled in etcd. */
  let token: Promise<string | undefined> | undefined;
  /** Why the latest attempt got no response; `undefined`: it got one. */
  let trouble: unknown;
  let closed = false;

  const connectionNow = (): Connection => connections[current % connections.length] as Connection;

  /** Switches to the next member, unless another call has already. */
  const leave = (connection: Connection): void => {
    if (connections.length === 1 || connectionNow() !== connection) return;
    current = (current + 1) % connections.length;
    const reason = `the client switched from ${connection.endpoint} to another member`;
    endWatches(etcdFailure(UNAVAILABLE, reason, true), connection);
  };

  const endWatches = (reason: Error, connection?: Connection): void => {
    for (const watch of [...watches]) {
      if (connection !== undefined && watch.connection !== connection) continue;
      watch.cancel();
      watch.listener.end(reason);
    }
  };

  const attempt = async <T>(pending: Pending<T>, { end, signal }: CallContext): Promise<T> => {
    const cancel = (): void => pending.cancel();
    const timer = clock.setTimer(cancel, Math.max(1, Math.min(requestTimeoutMs, end - clock.monotonic())));
    const unlisten = onAbort(signal, cancel);
    return pending.done.finally(() => {
      timer.cancel();
      unlisten();
    });
  };

  const contextOf = (signal: AbortSignal | undefined): CallContext => ({
    end: clock.monotonic() + operationTimeoutMs,
    signal,
    outcomeUnknown: false,
  });

  /** The token for a request. Concurrent calls share one login, which ends with none of them. */
  const tokenFor = (connection: Connection): Promise<string | undefined> | undefined => {
    if (login !== undefined && token === undefined) {
      const { username, password } = login;
      const granted = attempt(connection.authenticate(username, password), contextOf(undefined));
      const requested: Promise<string | undefined> = granted.catch((failure: unknown) => {
        // Clients get their logins before authentication is enabled.
        if (failureClassOf(failure) === 'no-auth') return undefined;
        forget(requested);
        // A lost login changed nothing.
        if (failureClassOf(failure) === 'unknown-outcome') throw etcdFailure(UNAVAILABLE, messageOf(failure), false);
        throw failure;
      });
      token = requested;
    }
    return token;
  };
  /** Forgets a token that etcd refused. Calls with the same token fail together: only the first gets another one. */
  const forget = (refused: Promise<string | undefined> | undefined): void => {
    if (token === refused) token = undefined;
  };

  const stopped = (failure: unknown, { outcomeUnknown }: Pick<CallContext, 'outcomeUnknown'>): StoreError => {
    const message = outcomeUnknown ? 'was lost during a write' : `(${settings.endpoints.join(', ')}) is not available`;
    const code = outcomeUnknown ? 'unknown-outcome' : 'unavailable';
    return storeError(code, `etcd ${message}: ${messageOf(failure)}`, { cause: failure });
  };

  /** Tries until it works, the deadline passes, or etcd refuses. */
  const attempts = async <T>(
    start: (connection: Connection, token: string | undefined) => Pending<T>,
    context: CallContext,
    what: 'read' | 'write' | 'once',
  ): Promise<T> => {
    const delays = createDelays(FIRST_DELAY_MS, MAX_DELAY_MS);
    let renewals = 0;
    let failure: unknown;
    let reason: unknown = new Error('the deadline has passed');
    for (let tries = 1; ; tries++) {
      context.signal?.throwIfAborted();
      if (closed || clock.monotonic() >= context.end) throw stopped(reason, context);
      const connection = connectionNow();
      const begun = clock.monotonic();
      const given = tokenFor(connection);
      try {
        const sent = start(connection, given && (await withinDeadline(clock, given, context)));
        const response = await attempt(sent, context);
        trouble = undefined;
        return response;
      } catch (caught) {
        failure = caught;
        // A last attempt that was cut short shows less than the one before.
        const isCut = begun + requestTimeoutMs > context.end && (caught as EtcdFailure).code === DEADLINE_EXCEEDED;
        if (tries === 1 || !isCut) reason = caught;
      }
      context.signal?.throwIfAborted();
      // Failures without a pause count as well.
      const delay = delays.next();
      const failureClass = failureClassOf(failure);
      switch (failureClass) {
        case 'unknown-outcome':
        case 'away':
          leave(connection);
          trouble = reason;
          if (failureClass === 'away') break;
          if (what !== 'read') context.outcomeUnknown = true;
          if (what === 'once') throw stopped(failure, context);
          break;
        case 'token':
          forget(given);
          if (login === undefined || ++renewals > 2) throw stopped(failure, context);
          continue;
        case 'compacted':
          throw storeError('expired', 'etcd has compacted this revision', { cause: failure });
        case 'future':
          throw storeError('future-revision', 'this revision is later than the latest revision', { cause: failure });
        case 'too-large':
        case 'response-too-large':
          // gRPC has the same message for both directions: the response to a write is small.
          if (failureClass === 'response-too-large' && what === 'read') throw failure;
          throw storeError('too-large', `etcd: ${messageOf(failure)}`, { cause: failure });
        case 'no-space':
          throw storeError(
            'unavailable',
            'etcd has reached its space quota and accepts no writes: compact and defragment it, then disarm the NOSPACE ' +
              `alarm (${messageOf(failure)})`,
            { cause: failure, onlyWrites: true },
          );
        case 'no-auth':
        case 'refused':
          throw stopped(failure, context);
      }
      // Avoids a tight loop of refusals. The first failure of each member leads to the next one without delay.
      const quick = clock.monotonic() - begun < requestTimeoutMs / 2;
      const left = context.end - clock.monotonic();
      if (left > 0 && quick && tries >= connections.length) {
        await pause(clock, Math.min(delay, left), context.signal);
      }
    }
  };

  /** The process stays: between two attempts there may be no connection, and gRPC's own timers do not keep it either. */
  const persist: typeof attempts = (...given) => attempts(...given).finally(keepProcessAlive());

  return {
    callContext: (signal: AbortSignal | undefined): CallContext => contextOf(signal),
    /** Fails with `expired`, `future-revision` and `response-too-large` (an EtcdFailure) besides `unavailable`. */
    range: (request: RangeRequest, context: CallContext): Promise<RangeResponse> =>
      persist((connection, given) => connection.range(request, given), context, 'read'),
    /** Repeats a transaction until its deadline. `unknown-outcome`: it did not succeed after a lost attempt. */
    async txn(request: TxnRequest, context: CallContext): Promise<TxnResponse> {
      const response = await persist((connection, given) => connection.txn(request, given), context, 'write');
      if (response.succeeded || !context.outcomeUnknown) return response;
      // The conditions may fail because the lost attempt happened. The outcome of a repetition by the caller is
      // certain.
      context.outcomeUnknown = false;
      throw storeError('unknown-outcome', 'a write was lost on its way to etcd');
    },
    /** A transaction that must not be repeated: fails with `unknown-outcome` as soon as an attempt got lost. */
    txnOnce: (request: TxnRequest, context: CallContext): Promise<TxnResponse> =>
      persist((connection, given) => connection.txn(request, given), context, 'once'),
    compact: (revision: number, context: CallContext): Promise<unknown> =>
      persist((connection, given) => connection.compact(revision, given), context, 'read'),
    bytesInUse: (context: CallContext): Promise<number> =>
      persist((connection, given) => connection.bytesInUse(given), context, 'read'),
    /** Opens one watch on one member; its failure is passed to the listener. Leaving the member ends its watches. */
    async watch(request: WatchRequest, listener: WatchListener, context: CallContext): Promise<WatchHandle> {
      const connection = connectionNow();
      const given = tokenFor(connection);
      const text = given && (await withinDeadline(clock, given, context));
      const entry: Watched = {
        connection,
        listener,
        cancel() {
          watches.delete(entry);
          handle.cancel();
        },
      };
      watches.add(entry);
      const handle = connection.watch(request, text, {
        response(response) {
          if (!watches.has(entry)) return;
          // With authentication the reason may be an old token.
          if (response.canceled && response.compactRevision === 0) forget(given);
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
    /** Why etcd does not respond at present, if it does not. */
    lastFailure: (): StoreError | undefined =>
      trouble === undefined ? undefined : stopped(trouble, { outcomeUnknown: false }),
    endWatches: (reason: StoreError): void => endWatches(reason),
    /** Ends all calls: none is attempted again. */
    close(): void {
      closed = true;
      for (const connection of connections) connection.close();
    },
  };
}
