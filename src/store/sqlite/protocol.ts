import { isStoreError, storeError, type StoreError, type StoreErrorCode } from '../contract/errors.js';
import type { Revision } from '../contract/event-store.js';
import { bytes, flag, list, number, oneOf, optional, struct, text, type Codec } from './codec.js';
import type { EngineQuery } from './engine.js';
import { createPacker, createUnpacker, type Packer } from './packing.js';
import type { StoredPage } from './read-list.js';
import type { KeyBytes, StoredChange, StoredRecord } from './stored.js';
import type { WriteOperation, WriteResult } from './write-batch.js';

/** One read. */
export type ReadOperation =
  | { readonly kind: 'get'; readonly key: KeyBytes }
  | { readonly kind: 'list'; readonly query: EngineQuery }
  | { readonly kind: 'changes'; readonly after: Revision }
  | { readonly kind: 'revision' }
  | { readonly kind: 'ping' };

/** What was read. */
export type ReadResult =
  | { readonly kind: 'get'; readonly record: StoredRecord | undefined }
  | { readonly kind: 'list'; readonly page: StoredPage & { readonly revision: Revision } }
  | { readonly kind: 'changes'; readonly changes: readonly StoredChange[] }
  | { readonly kind: 'revision'; readonly revision: Revision }
  | { readonly kind: 'ping' };

/** What became of a batch, and when history has to be forgotten next. */
export interface WriteAnswer {
  readonly results: readonly (WriteResult | StoreError)[];
  readonly nextDue: number | undefined;
}

const key = bytes;
const revision = number;
const record = struct<StoredRecord>({ revision, key, expiresAt: number, description: bytes, data: bytes });
const failure = struct<Pick<StoreError, 'code' | 'message' | 'current' | 'onlyWrites'>>({
  code: text as Codec<StoreErrorCode>,
  message: text,
  current: optional(revision),
  onlyWrites: optional(flag),
});

/** A result, or why there is none. */
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

/** A message of one type. */
export interface Message<T> {
  /** `expectedBytes` spares the buffer from growing. */
  pack(value: T, expectedBytes?: number): ArrayBuffer;
  unpack(message: ArrayBuffer): T;
}

function message<T>(codec: Codec<T>): Message<T> {
  return {
    pack(value, expectedBytes) {
      const packer = createPacker(expectedBytes);
      codec.pack(packer, value);
      return packer.finish();
    },
    unpack: (packed) => codec.unpack(createUnpacker(new Uint8Array(packed))),
  };
}

const query = struct<EngineQuery>({
  namespace: optional(bytes),
  terms: list(struct({ field: text, value: text })),
  at: optional(revision),
  after: optional(struct({ key, revision: optional(revision) })),
  limit: number,
  newestFirst: flag,
});

/** Some reads. */
export const READS: Message<readonly ReadOperation[]> = message(
  list(oneOf<ReadOperation>({ get: { key }, list: { query }, changes: { after: revision }, revision: {}, ping: {} })),
);

/** What became of them. */
export const READ_ANSWER: Message<readonly (ReadResult | StoreError)[]> = message(
  list(
    outcome(
      oneOf<ReadResult>({
        get: { record: optional(record) },
        list: {
          page: struct({
            revision,
            next: optional(struct({ key, revision })),
            remaining: optional(number),
            records: list(record),
          }),
        },
        changes: { changes: list(struct({ deleted: flag, record, previous: optional(record) })) },
        revision: { revision },
        ping: {},
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
    description: bytes,
    // The last: see `packWrite`.
    data: bytes,
  },
  remove: { key, expected: optional(revision) },
  expire: { dueAt: number, limit: number },
  forget: { limit: number },
});

/** A batch of writes as {@link packWrite} packs them. */
export interface WriteBatch {
  /** The moment it is written. */
  readonly now: number;
  /** Whether replaces return the versions before them. */
  readonly withPrevious: boolean;
  readonly operations: readonly Uint8Array[];
}

export const WRITES: Message<WriteBatch> = message(
  struct({ now: number, withPrevious: flag, operations: list(bytes) }),
);

export const WRITE_ANSWER: Message<WriteAnswer> = message(
  struct({
    nextDue: optional(number),
    results: list(
      outcome(
        oneOf<WriteResult>({
          put: { revision, previous: optional(record) },
          remove: { record, previous: revision },
          count: { count: number },
        }),
      ),
    ),
  }),
);

/** An operation as the service's thread has it: what is text need not be bytes yet. */
export type WriteRequest<T = WriteOperation> = T extends unknown
  ? { readonly [Name in keyof T]: T[Name] | (Uint8Array extends T[Name] ? string : never) }
  : never;

/** One operation. A put ends with its `data`. */
export function packWrite(packer: Packer, operation: WriteRequest): Uint8Array {
  write.pack(packer, operation as WriteOperation);
  return packer.cut();
}

/** The operation again. */
export function unpackWrite(packed: Uint8Array): WriteOperation {
  return write.unpack(createUnpacker(packed));
}
