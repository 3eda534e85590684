import { isStoreError, storeError, type StoreError, type StoreErrorCode } from '../contract/errors.js';
import { createPacker, createUnpacker, type Packer, type Unpacker } from './packing.js';
import type { StoredRecord } from './stored.js';
import type { PutOperation, RemoveOperation, WriteOperation, WriteResult } from './write-batch.js';

// Numbers that are absent travel as NaN, byte strings that are absent as a length of their own.
const FAILED = 0;
const PUT = 1;
const REMOVE = 2;
const EXPIRE = 3;
const FORGET = 4;
const COUNT = 5;

/** A message costs about this much for each operation besides its event. */
const OPERATION_BYTES = 256;

/** A number that may be absent. */
export function packOptional(packer: Packer, value: number | undefined): void {
  packer.number(value ?? Number.NaN);
}

/** A number that may be absent. */
export function unpackOptional(unpacker: Unpacker): number | undefined {
  const value = unpacker.number();
  return Number.isNaN(value) ? undefined : value;
}

/** Bytes that may be absent. */
export function packOptionalBytes(packer: Packer, value: Uint8Array | undefined): void {
  packer.number(value === undefined ? 0 : 1);
  if (value !== undefined) packer.bytes(value);
}

/** Bytes that may be absent. */
export function unpackOptionalBytes(unpacker: Unpacker): Uint8Array | undefined {
  return unpacker.number() === 0 ? undefined : unpacker.bytes();
}

/** A record. */
export function packRecord(packer: Packer, { revision, key, expiresAt, description, data }: StoredRecord): void {
  packer.number(revision);
  packer.bytes(key);
  packer.number(expiresAt);
  packer.bytes(description);
  packer.bytes(data);
}

/** A record. Its bytes are views into the message. */
export function unpackRecord(unpacker: Unpacker): StoredRecord {
  return {
    revision: unpacker.number(),
    key: unpacker.bytes(),
    expiresAt: unpacker.number(),
    description: unpacker.bytes(),
    data: unpacker.bytes(),
  };
}

/** What a record takes in a message. */
export function packedSize({ key, description, data }: StoredRecord): number {
  return 32 + key.length + description.length + data.length;
}

/** A failure. */
export function packError(packer: Packer, { code, message, current, onlyWrites }: StoreError): void {
  packer.number(FAILED);
  packer.text(code);
  packer.text(message);
  packOptional(packer, current);
  packer.number(onlyWrites === true ? 1 : 0);
}

/** A failure whose tag was read. */
export function unpackError(unpacker: Unpacker): StoreError {
  const code = unpacker.text() as StoreErrorCode;
  const message = unpacker.text();
  const current = unpackOptional(unpacker);
  const onlyWrites = unpacker.number() === 1;
  return storeError(code, message, { onlyWrites, ...(current !== undefined && { current }) });
}

type Text = string | Uint8Array;

/** An operation as the service's thread has it: what is text need not be bytes yet. */
export type WriteRequest =
  | Exclude<WriteOperation, PutOperation | RemoveOperation>
  | (Omit<RemoveOperation, 'key'> & { readonly key: Text })
  | (Omit<PutOperation, 'key' | 'description' | 'regardingName' | 'regardingUid'> & {
      readonly key: Text;
      readonly description: Text;
      readonly regardingName: Text | undefined;
      readonly regardingUid: Text | undefined;
    });

function packText(packer: Packer, value: Text): void {
  if (typeof value === 'string') packer.text(value);
  else packer.bytes(value);
}

function packOptionalText(packer: Packer, value: Text | undefined): void {
  packer.number(value === undefined ? 0 : 1);
  if (value !== undefined) packText(packer, value);
}

/** One operation, for {@link packWrites}. What is put last is `data`. */
export function packOperation(packer: Packer, operation: WriteRequest): Uint8Array {
  switch (operation.kind) {
    case 'put':
      packer.number(PUT);
      packText(packer, operation.key);
      packOptional(packer, operation.expected);
      packer.number(operation.expiresAt);
      packOptionalText(packer, operation.regardingName);
      packOptionalText(packer, operation.regardingUid);
      packText(packer, operation.description);
      packer.bytes(operation.data);
      break;
    case 'remove':
      packer.number(REMOVE);
      packText(packer, operation.key);
      packOptional(packer, operation.expected);
      break;
    case 'expire':
      packer.number(EXPIRE);
      packer.number(operation.dueAt);
      packer.number(operation.limit);
      break;
    case 'forget':
      packer.number(FORGET);
      packer.number(operation.limit);
      break;
  }
  return packer.cut();
}

/** A batch of packed operations, and the moment it is written. */
export function packWrites(operations: readonly Uint8Array[], now: number): ArrayBuffer {
  let at = 16;
  for (const { length } of operations) at += length;
  const message = new Uint8Array(at);
  const header = new DataView(message.buffer);
  header.setFloat64(0, now);
  header.setFloat64(8, operations.length);
  at = 16;
  for (const operation of operations) {
    message.set(operation, at);
    at += operation.length;
  }
  return message.buffer;
}

function unpackOperation(unpacker: Unpacker): WriteOperation {
  switch (unpacker.number()) {
    case PUT:
      return {
        kind: 'put',
        key: unpacker.bytes(),
        expected: unpackOptional(unpacker),
        expiresAt: unpacker.number(),
        regardingName: unpackOptionalBytes(unpacker),
        regardingUid: unpackOptionalBytes(unpacker),
        description: unpacker.bytes(),
        data: unpacker.bytes(),
      };
    case REMOVE:
      return { kind: 'remove', key: unpacker.bytes(), expected: unpackOptional(unpacker) };
    case EXPIRE:
      return { kind: 'expire', dueAt: unpacker.number(), limit: unpacker.number() };
    default:
      return { kind: 'forget', limit: unpacker.number() };
  }
}

/** The batch again. */
export function unpackWrites(message: ArrayBuffer): {
  readonly operations: readonly WriteOperation[];
  readonly now: number;
} {
  const unpacker = createUnpacker(message);
  const now = unpacker.number();
  const operations = Array.from({ length: unpacker.number() }, () => unpackOperation(unpacker));
  return { operations, now };
}

/** What became of a batch, and when history has to be forgotten next. */
export interface WriteAnswer {
  readonly results: readonly (WriteResult | StoreError)[];
  readonly nextDue: number | undefined;
}

/** The answer to a batch. */
export function packWriteAnswer({ results, nextDue }: WriteAnswer): ArrayBuffer {
  let size = 16;
  for (const one of results) {
    size += isStoreError(one) ? OPERATION_BYTES : one.kind === 'remove' ? 8 + packedSize(one.record) : 16;
  }
  const packer = createPacker(size);
  packOptional(packer, nextDue);
  packer.number(results.length);
  for (const result of results) {
    if (isStoreError(result)) packError(packer, result);
    else if (result.kind === 'put') {
      packer.number(PUT);
      packer.number(result.revision);
    } else if (result.kind === 'remove') {
      packer.number(REMOVE);
      packRecord(packer, result.record);
    } else {
      packer.number(COUNT);
      packer.number(result.count);
    }
  }
  return packer.finish();
}

/** The answer again. */
export function unpackWriteAnswer(message: ArrayBuffer): WriteAnswer {
  const unpacker = createUnpacker(message);
  const nextDue = unpackOptional(unpacker);
  const results = Array.from({ length: unpacker.number() }, (): WriteResult | StoreError => {
    switch (unpacker.number()) {
      case FAILED:
        return unpackError(unpacker);
      case PUT:
        return { kind: 'put', revision: unpacker.number() };
      case REMOVE:
        return { kind: 'remove', record: unpackRecord(unpacker) };
      default:
        return { kind: 'count', count: unpacker.number() };
    }
  });
  return { results, nextDue };
}
