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

/** One condition of a transaction. */
export interface Compare {
  readonly key: Uint8Array;
  readonly target: 'version' | 'create' | 'mod';
  readonly result: 'equal' | 'less' | 'not-equal';
  readonly value: number;
}

/** One step of a transaction. */
export type Step =
  | { readonly type: 'range'; readonly key: Uint8Array }
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  /** Answers with what was deleted. */
  | { readonly type: 'delete'; readonly key: Uint8Array };

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly Step[];
  readonly failure: readonly Step[];
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
