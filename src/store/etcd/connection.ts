/** The parts of etcd's version 3 messages that this store uses. Revisions are safe integers. */

export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  /** How often it was written since it was created; 0: deleted. */
  readonly version: number;
}

export interface RangeRequest {
  readonly key: Uint8Array;
  /** The first key after the range; absent: one key. */
  readonly rangeEnd?: Uint8Array | undefined;
  readonly limit?: number | undefined;
  /** Absent: the latest, linearizable. */
  readonly revision?: number | undefined;
  readonly keysOnly?: boolean | undefined;
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

export type Step =
  | { readonly type: 'range'; readonly key: Uint8Array }
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  /** Returns what was deleted. */
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
  readonly compare?: readonly Compare[];
  readonly success: readonly Step[];
  readonly failure?: readonly Step[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  readonly steps: readonly (readonly KeyValue[])[];
}

/** Previous values, progress and fragments are always requested. */
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
  /** More events follow in the next response. */
  readonly fragment: boolean;
  readonly events: readonly WatchEvent[];
}

export interface Pending<T> {
  /** Fails only with an `EtcdFailure`. */
  readonly done: Promise<T>;
  /** Makes `done` fail with code 4; no effect afterwards. */
  cancel(): void;
}

/** Nothing is called after `end`, or after the watch was canceled. */
export interface WatchListener {
  response(response: WatchResponse): void;
  /** The watch failed with an `EtcdFailure`, or was ended with a StoreError. */
  end(failure: unknown): void;
}

export interface WatchHandle {
  cancel(): void;
  /** Reads no more from the network. */
  pause(): void;
  resume(): void;
}

/** One member of etcd, over one of the two protocols, without deadlines, repetition or fail-over. */
export interface Connection {
  readonly endpoint: string;
  range(request: RangeRequest, token: string | undefined): Pending<RangeResponse>;
  txn(request: TxnRequest, token: string | undefined): Pending<TxnResponse>;
  compact(revision: number, token: string | undefined): Pending<unknown>;
  /** The bytes used in the database of this member, without the space that compaction has freed. */
  bytesInUse(token: string | undefined): Pending<number>;
  authenticate(name: string, password: string): Pending<string>;
  watch(request: WatchRequest, token: string | undefined, listener: WatchListener): WatchHandle;
  close(): void;
}
