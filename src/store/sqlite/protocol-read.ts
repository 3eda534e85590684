import type { Revision } from '../contract/event-store.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import type { EngineQuery } from './engine.js';
import { createPacker, createUnpacker, type Packer, type Unpacker } from './packing.js';
import {
  packedSize,
  packError,
  packOptional,
  packOptionalBytes,
  packRecord,
  unpackError,
  unpackOptional,
  unpackOptionalBytes,
  unpackRecord,
} from './protocol-write.js';
import type { StoredPage } from './read-list.js';
import type { KeyBytes, StoredChange, StoredRecord } from './stored.js';

const FAILED = 0;
const GET = 1;
const LIST = 2;
const CHANGES = 3;
const REVISION = 4;
const PING = 5;

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

function packQuery(packer: Packer, { namespace, terms, at, after, limit, newestFirst }: EngineQuery): void {
  packOptionalBytes(packer, namespace);
  packer.number(terms.length);
  for (const { field, value } of terms) {
    packer.text(field);
    packer.text(value);
  }
  packOptional(packer, at);
  packOptionalBytes(packer, after?.key);
  packOptional(packer, after?.revision);
  packer.number(limit);
  packer.number(newestFirst ? 1 : 0);
}

function unpackQuery(unpacker: Unpacker): EngineQuery {
  const namespace = unpackOptionalBytes(unpacker);
  const terms = Array.from({ length: unpacker.number() }, () => ({ field: unpacker.text(), value: unpacker.text() }));
  const at = unpackOptional(unpacker);
  const key = unpackOptionalBytes(unpacker);
  const revision = unpackOptional(unpacker);
  const limit = unpacker.number();
  const after = key === undefined ? undefined : { key, revision };
  return { namespace, terms, at, after, limit, newestFirst: unpacker.number() === 1 };
}

/** Some reads. */
export function packReads(operations: readonly ReadOperation[]): ArrayBuffer {
  const packer = createPacker(128 * operations.length);
  packer.number(operations.length);
  for (const operation of operations) {
    switch (operation.kind) {
      case 'get':
        packer.number(GET);
        packer.bytes(operation.key);
        break;
      case 'list':
        packer.number(LIST);
        packQuery(packer, operation.query);
        break;
      case 'changes':
        packer.number(CHANGES);
        packer.number(operation.after);
        break;
      case 'revision':
        packer.number(REVISION);
        break;
      case 'ping':
        packer.number(PING);
        break;
    }
  }
  return packer.finish();
}

/** The reads again. */
export function unpackReads(message: ArrayBuffer): readonly ReadOperation[] {
  const unpacker = createUnpacker(message);
  return Array.from({ length: unpacker.number() }, (): ReadOperation => {
    switch (unpacker.number()) {
      case GET:
        return { kind: 'get', key: unpacker.bytes() };
      case LIST:
        return { kind: 'list', query: unpackQuery(unpacker) };
      case CHANGES:
        return { kind: 'changes', after: unpacker.number() };
      case REVISION:
        return { kind: 'revision' };
      default:
        return { kind: 'ping' };
    }
  });
}

function packedResultSize(result: ReadResult | StoreError): number {
  if (isStoreError(result)) return 512;
  switch (result.kind) {
    case 'get':
      return 16 + (result.record === undefined ? 0 : packedSize(result.record));
    case 'list':
      return result.page.records.reduce(
        (size, record) => size + packedSize(record),
        64 + (result.page.next?.key.length ?? 0),
      );
    case 'changes':
      return result.changes.reduce(
        (size, { record, previous }) =>
          size + 16 + packedSize(record) + (previous === undefined ? 0 : packedSize(previous)),
        16,
      );
    case 'revision':
    case 'ping':
      return 16;
  }
}

/** What was read. */
export function packReadAnswer(results: readonly (ReadResult | StoreError)[]): ArrayBuffer {
  const packer = createPacker(results.reduce((size, result) => size + packedResultSize(result), 8));
  packer.number(results.length);
  for (const result of results) {
    if (isStoreError(result)) {
      packError(packer, result);
      continue;
    }
    switch (result.kind) {
      case 'get':
        packer.number(GET);
        packer.number(result.record === undefined ? 0 : 1);
        if (result.record !== undefined) packRecord(packer, result.record);
        break;
      case 'list': {
        const { revision, records, next, remaining } = result.page;
        packer.number(LIST);
        packer.number(revision);
        packOptionalBytes(packer, next?.key);
        packOptional(packer, next?.revision);
        packOptional(packer, remaining);
        packer.number(records.length);
        for (const record of records) packRecord(packer, record);
        break;
      }
      case 'changes':
        packer.number(CHANGES);
        packer.number(result.changes.length);
        for (const { deleted, record, previous } of result.changes) {
          packer.number((deleted ? 1 : 0) + (previous === undefined ? 0 : 2));
          packRecord(packer, record);
          if (previous !== undefined) packRecord(packer, previous);
        }
        break;
      case 'revision':
        packer.number(REVISION);
        packer.number(result.revision);
        break;
      case 'ping':
        packer.number(PING);
        break;
    }
  }
  return packer.finish();
}

/** What was read, again. */
export function unpackReadAnswer(message: ArrayBuffer): readonly (ReadResult | StoreError)[] {
  const unpacker = createUnpacker(message);
  return Array.from({ length: unpacker.number() }, (): ReadResult | StoreError => {
    switch (unpacker.number()) {
      case FAILED:
        return unpackError(unpacker);
      case GET:
        return { kind: 'get', record: unpacker.number() === 0 ? undefined : unpackRecord(unpacker) };
      case LIST: {
        const revision = unpacker.number();
        const key = unpackOptionalBytes(unpacker);
        const nextRevision = unpackOptional(unpacker);
        const next = key === undefined || nextRevision === undefined ? undefined : { key, revision: nextRevision };
        const remaining = unpackOptional(unpacker);
        const records = Array.from({ length: unpacker.number() }, () => unpackRecord(unpacker));
        return { kind: 'list', page: { revision, records, next, remaining } };
      }
      case CHANGES: {
        const changes = Array.from({ length: unpacker.number() }, (): StoredChange => {
          const flags = unpacker.number();
          const record = unpackRecord(unpacker);
          return { deleted: flags % 2 === 1, record, previous: flags >= 2 ? unpackRecord(unpacker) : undefined };
        });
        return { kind: 'changes', changes };
      }
      case REVISION:
        return { kind: 'revision', revision: unpacker.number() };
      default:
        return { kind: 'ping' };
    }
  });
}
