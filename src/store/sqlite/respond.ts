import type { StoreError } from '../contract/errors.js';
import type { SyncStore } from './sync-store.js';
import type { SyncStoreOptions } from './options.js';
import { READ_RESPONSE, READS, unpackWrite, WRITE_RESPONSE, WRITES } from './protocol.js';
import type { ReadOperation, ReadResult } from './protocol.js';

export interface WorkerStart {
  readonly options: SyncStoreOptions;
  /** The wall clock, microseconds. */
  readonly now: number;
}

export type RequestKind = 'write' | 'read';

/** To the worker. Bodies are transferred, not copied. */
export type ToWorker = { readonly kind: RequestKind; readonly body: ArrayBuffer } | { readonly kind: 'close' };

/** From the worker; responses are in the order of the requests. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'response'; readonly body: ArrayBuffer };

function read(store: SyncStore, { kind, given }: ReadOperation): ReadResult | StoreError {
  try {
    return { kind, value: (store[kind] as (given: unknown) => unknown)(given) } as ReadResult;
  } catch (error) {
    // The store fails only with StoreErrors.
    return error as StoreError;
  }
}

function nextDue(store: SyncStore): number | undefined {
  try {
    return store.nextDue();
  } catch {
    // The next write fails for the same reason.
    return undefined;
  }
}

export function respond(store: SyncStore, kind: RequestKind, message: ArrayBuffer): ArrayBuffer {
  if (kind === 'read') return READ_RESPONSE.pack(READS.unpack(message).map((operation) => read(store, operation)));
  const { operations, now, withPrevious } = WRITES.unpack(message);
  const results = store.write(operations.map(unpackWrite), now, withPrevious);
  return WRITE_RESPONSE.pack({ results, nextDue: nextDue(store) });
}
