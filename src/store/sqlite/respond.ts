import { isStoreError, type StoreError } from '../contract/errors.js';
import type { Revision } from '../contract/record.js';
import type { SyncStoreOptions } from './options.js';
import { failureOf, type ReadOperation, type RequestKind, type Requests, type Responses } from './protocol.js';
import type { SyncStore } from './sync-store.js';

export interface WorkerStart {
  readonly options: SyncStoreOptions;
  /** The wall clock, microseconds. */
  readonly now: number;
}

/** To the worker. */
export type ToWorker =
  | { [Kind in RequestKind]: { readonly kind: Kind; readonly body: Requests[Kind] } }[RequestKind]
  | { readonly kind: 'close' };

/** From the worker; responses are in the order of the requests. */
export type FromWorker =
  | { readonly kind: 'ready'; readonly latest: Revision }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'response'; readonly body: Responses[RequestKind]; readonly latest: Revision };

function read(store: SyncStore, { kind, given }: ReadOperation): Responses['read'][number] {
  try {
    const value = (store[kind] as (given: unknown) => unknown)(given);
    return { kind: 'value', value } as Responses['read'][number];
  } catch (error) {
    // The store fails only with StoreErrors.
    return failureOf(error as StoreError);
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

export function respond<Kind extends RequestKind>(store: SyncStore, kind: Kind, body: Requests[Kind]): Responses[Kind];
export function respond(store: SyncStore, kind: RequestKind, body: Requests[RequestKind]): Responses[RequestKind] {
  if (kind === 'read') return (body as Requests['read']).map((operation) => read(store, operation));
  const { operations, now, withPrevious } = body as Requests['write'];
  const results = store
    .write(operations, now, withPrevious)
    .map((result) => (isStoreError(result) ? failureOf(result) : result));
  return { results, nextDue: nextDue(store) };
}
