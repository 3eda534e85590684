import { storeError, type StoreError } from '../contract/errors.js';
import type { SqliteFailure } from './failure.js';
import type { SyncStore } from './sync-store.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/*
 * What the two threads send each other. Node copies it, bytes in 1 µs more than text: all but the events' JSON is text.
 * Node copies all memory behind a view, so that bytes are not views, but for those of a page, which have one memory.
 */

type Reads = Pick<SyncStore, 'get' | 'list' | 'changes' | 'revision' | 'ping' | 'resolveOutcome'>;
export type ReadKind = keyof Reads;
export type ReadArguments<Kind extends ReadKind> = Parameters<Reads[Kind]>[0];
export type ReadValue<Kind extends ReadKind> = ReturnType<Reads[Kind]>;

export type ReadOperation = {
  [Kind in ReadKind]: { readonly kind: Kind; readonly given: ReadArguments<Kind> };
}[ReadKind];

/** A `StoreError`: the copy of an error has only its message. */
export type Failure = { readonly kind: 'failure' } & Pick<
  SqliteFailure,
  'code' | 'message' | 'current' | 'onlyWrites' | 'isLocked'
>;

export interface Requests {
  readonly read: readonly ReadOperation[];
  /** `now`: when they are written. `withPrevious`: see `SyncStore`. */
  readonly write: {
    readonly operations: readonly WriteOperation[];
    readonly now: number;
    readonly withPrevious: boolean;
  };
}
export type RequestKind = keyof Requests;

export interface Responses {
  readonly read: readonly ({ readonly kind: 'value'; readonly value: ReadValue<ReadKind> } | Failure)[];
  readonly write: { readonly results: readonly (WriteResult | Failure)[]; readonly nextDue: number | undefined };
}

export const failureOf = ({ code, message, current, onlyWrites, isLocked }: SqliteFailure): Failure => ({
  kind: 'failure',
  code,
  message,
  current,
  onlyWrites,
  isLocked,
});

export const errorOf = (failure: Failure): StoreError => storeError(failure.code, failure.message, failure);

export const isLocked = (result: object): boolean => 'isLocked' in result && result.isLocked === true;
