import type { RangeRequest, RangeResponse, TxnRequest, TxnResponse, WatchRequest, WatchResponse } from './messages.js';

/** A request under way. */
export interface Pending<T> {
  /** Fails with an `EtcdFailure`, nothing else. */
  readonly done: Promise<T>;
  /** Gives it up: `done` fails, with code 4. Harmless later. */
  cancel(): void;
}

/** Receives what a watch brings. A client calls nothing after `end`, and after the watch was canceled. */
export interface WatchListener {
  response(response: WatchResponse): void;
  /** It is over, with an `EtcdFailure`. */
  end(failure: unknown): void;
}

/** A watch under way. */
export interface WatchHandle {
  cancel(): void;
  /** Reads no more from the network. */
  pause(): void;
  resume(): void;
}

/**
 * One member of etcd, over one of the two protocols. It tries nothing twice, and waits for as long as it is not canceled:
 * deadlines and fail-over are above it.
 */
export interface Connection {
  /** As it was given, for messages. */
  readonly endpoint: string;
  range(request: RangeRequest, token: string | undefined): Pending<RangeResponse>;
  txn(request: TxnRequest, token: string | undefined): Pending<TxnResponse>;
  compact(revision: number, token: string | undefined): Pending<unknown>;
  /** What is in the database of this member, bytes, without the room that compaction has freed in it. */
  bytesInUse(token: string | undefined): Pending<number>;
  /** A token for name and password. */
  authenticate(name: string, password: string): Pending<string>;
  watch(request: WatchRequest, token: string | undefined, listener: WatchListener): WatchHandle;
  close(): void;
}

/** Makes the connections of a store, once its driver is loaded. */
export type Connect = () => Promise<readonly Connection[]>;
