import { isStoreError, storeError, type StoreError, type StoreErrorCode } from '../contract/errors.js';
import { bytes, flag, list, nothing, number, oneOf, optional, struct, text, type Codec } from './codec.js';
import type { SyncStoreQuery, SyncStore } from './sync-store.js';
import { createPacker, createUnpacker, type Packer } from './packing.js';
import type { StoredRecord } from './stored.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

type Reads = Pick<SyncStore, 'get' | 'list' | 'changes' | 'revision' | 'ping'>;
export type ReadKind = keyof Reads;
export type ReadArguments<Kind extends ReadKind> = Parameters<Reads[Kind]>[0];
export type ReadValue<Kind extends ReadKind> = ReturnType<Reads[Kind]>;

export type ReadOperation = {
  [Kind in ReadKind]: { readonly kind: Kind; readonly given: ReadArguments<Kind> };
}[ReadKind];
export type ReadResult = { [Kind in ReadKind]: { readonly kind: Kind; readonly value: ReadValue<Kind> } }[ReadKind];

const key = bytes;
const revision = number;
const record = struct<StoredRecord>({ revision, key, expiresAt: number, sidecar: bytes, data: bytes });
const failure = struct<Pick<StoreError, 'code' | 'message' | 'current' | 'onlyWrites'>>({
  code: text as Codec<StoreErrorCode>,
  message: text,
  current: optional(revision),
  onlyWrites: optional(flag),
});

function outcome<T extends object>(result: Codec<T>): Codec<T | StoreError> {
  return {
    pack(packer, value) {
      const failed = isStoreError(value);
      flag.pack(packer, failed);
      if (failed) failure.pack(packer, value);
      else result.pack(packer, value);
    },
    unpack(unpacker) {
      if (!flag.unpack(unpacker)) return result.unpack(unpacker);
      const { code, message, current, onlyWrites = false } = failure.unpack(unpacker);
      return storeError(code, message, { onlyWrites, ...(current !== undefined && { current }) });
    },
  };
}

function message<T>(codec: Codec<T>) {
  return {
    /** A sufficient `expectedBytes` keeps the buffer from growing. */
    pack(value: T, expectedBytes?: number): ArrayBuffer {
      const packer = createPacker(expectedBytes);
      codec.pack(packer, value);
      return packer.finish();
    },
    unpack: (packed: ArrayBuffer): T => codec.unpack(createUnpacker(new Uint8Array(packed))),
  };
}
type Message<T> = ReturnType<typeof message<T>>;

const query = struct<SyncStoreQuery>({
  namespace: optional(bytes),
  terms: list(struct({ field: text, value: text })),
  at: optional(revision),
  after: optional(struct({ key, revision: optional(revision) })),
  limit: number,
  newestFirst: flag,
});

export const READS: Message<readonly ReadOperation[]> = message(
  list(
    oneOf<ReadOperation>({
      get: { given: key },
      list: { given: query },
      changes: { given: revision },
      revision: { given: nothing },
      ping: { given: nothing },
    }),
  ),
);

export const READ_RESPONSE: Message<readonly (ReadResult | StoreError)[]> = message(
  list(
    outcome(
      oneOf<ReadResult>({
        get: { value: optional(record) },
        list: {
          value: struct({
            revision,
            next: optional(struct({ key, revision })),
            remaining: optional(number),
            records: list(record),
          }),
        },
        changes: { value: list(struct({ deleted: flag, record, previous: optional(record) })) },
        revision: { value: revision },
        ping: { value: nothing },
      }),
    ),
  ),
);

const write = oneOf<WriteOperation>({
  put: {
    key,
    expected: optional(revision),
    expiresAt: number,
    regardingName: optional(bytes),
    regardingUid: optional(bytes),
    sidecar: bytes,
    // The last: see `packWrite`.
    data: bytes,
  },
  remove: { key, expected: optional(revision) },
  expire: { dueAt: number, limit: number },
  prune: { limit: number },
});

/** A batch of writes, packed by {@link packWrite}. `now`: when it is written. `withPrevious`: see `SyncStore`. */
export const WRITES: Message<{ now: number; withPrevious: boolean; operations: readonly Uint8Array[] }> = message(
  struct({ now: number, withPrevious: flag, operations: list(bytes) }),
);

export const WRITE_RESPONSE: Message<{
  readonly nextDue: number | undefined;
  readonly results: readonly (WriteResult | StoreError)[];
}> = message(
  struct({
    nextDue: optional(number),
    results: list(
      outcome(oneOf<WriteResult>({ written: { revision, previous: optional(record) }, count: { count: number } })),
    ),
  }),
);

/** An operation in the service's thread, where texts need not be bytes yet. */
export type WriteRequest<T = WriteOperation> = T extends unknown
  ? { readonly [Name in keyof T]: T[Name] | (Uint8Array extends T[Name] ? string : never) }
  : never;

/** One operation. A put ends with its `data`. */
export function packWrite(packer: Packer, operation: WriteRequest): Uint8Array {
  write.pack(packer, operation as WriteOperation);
  return packer.cut();
}

export function unpackWrite(packed: Uint8Array): WriteOperation {
  return write.unpack(createUnpacker(packed));
}
