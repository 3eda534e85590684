/** The parts of etcd's version 3 messages that this store uses. Revisions are safe integers. */

/** A key at one revision. */
export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  /** How often it was written since it was created; 0: deleted. */
  readonly version: number;
}

/** Reads a key, or a range of keys. */
export interface RangeRequest {
  readonly key: Uint8Array;
  /** The first key behind the range; absent: one key. */
  readonly rangeEnd?: Uint8Array | undefined;
  readonly limit?: number | undefined;
  /** Absent: the latest, linearizable. */
  readonly revision?: number | undefined;
  /** In falling order of `modRevision`. Default: in order of keys. */
  readonly newestFirst?: boolean | undefined;
  readonly keysOnly?: boolean | undefined;
  readonly maxModRevision?: number | undefined;
}

export interface RangeResponse {
  /** The latest revision when this was read. */
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  /** All keys of the range, whatever the limit. */
  readonly count: number;
}

/** A condition of a transaction: the key was last written at this revision; 0: it does not exist. */
export interface Compare {
  readonly key: Uint8Array;
  readonly revision: number;
}

/** One step of a transaction. */
export type Step =
  | { readonly type: 'range'; readonly key: Uint8Array }
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  /** Answers with what was deleted. */
  | { readonly type: 'delete'; readonly key: Uint8Array };

const NO_BYTES = new Uint8Array(0);

export function get(key: Uint8Array): Step {
  return { type: 'range', key };
}

export function put(key: Uint8Array, value: Uint8Array = NO_BYTES): Step {
  return { type: 'put', key, value };
}

export function drop(key: Uint8Array): Step {
  return { type: 'delete', key };
}

export interface TxnRequest {
  /** Default: none. */
  readonly compare?: readonly Compare[];
  readonly success: readonly Step[];
  /** Default: none. */
  readonly failure?: readonly Step[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** For each step what was read or deleted; nothing for a put. */
  readonly steps: readonly (readonly KeyValue[])[];
}

/** Begins a watch. Previous values, progress and fragments are always asked for. */
export interface WatchRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly startRevision: number;
}

export interface WatchEvent {
  readonly type: 'put' | 'delete';
  readonly kv: KeyValue;
  readonly previous?: KeyValue | undefined;
}

export interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0: the watch was canceled because history begins here. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** The events go on in the next response. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

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
