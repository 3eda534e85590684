import { isStoreError, storeError, type StoreError } from '../contract/errors.js';
import type { SqliteEngine } from './engine.js';
import type { EngineOptions } from './options.js';
import {
  READ_ANSWER,
  READS,
  unpackWrite,
  WRITE_ANSWER,
  WRITES,
  type ReadOperation,
  type ReadResult,
} from './protocol.js';

/** What the worker is started with. */
export interface WorkerStart {
  readonly options: EngineOptions;
  /** The wall clock, microseconds. */
  readonly now: number;
}

/** What a message asks for. */
export type RequestKind = 'write' | 'read';

/** To the worker. Bodies are transferred, not copied. */
export type ToWorker =
  { readonly kind: RequestKind; readonly id: number; readonly body: ArrayBuffer } | { readonly kind: 'close' };

/** From the worker. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly body: ArrayBuffer };

function asStoreError(error: unknown): StoreError {
  if (isStoreError(error)) return error;
  return storeError('unavailable', error instanceof Error ? error.message : String(error));
}

function read(engine: SqliteEngine, operation: ReadOperation): ReadResult | StoreError {
  try {
    switch (operation.kind) {
      case 'get':
        return { kind: 'get', record: engine.get(operation.key) };
      case 'list':
        return { kind: 'list', page: engine.list(operation.query) };
      case 'changes':
        return { kind: 'changes', changes: engine.changes(operation.after) };
      case 'revision':
        return { kind: 'revision', revision: engine.revision() };
      case 'ping':
        engine.ping();
        return { kind: 'ping' };
    }
  } catch (error) {
    return asStoreError(error);
  }
}

function nextDue(engine: SqliteEngine): number | undefined {
  try {
    return engine.nextDue();
  } catch {
    // The next write says what is wrong.
    return undefined;
  }
}

/** Answers one message with one. */
export function serve(engine: SqliteEngine, kind: RequestKind, message: ArrayBuffer): ArrayBuffer {
  if (kind === 'read') return READ_ANSWER.pack(READS.unpack(message).map((operation) => read(engine, operation)));
  const { operations, now, withPrevious } = WRITES.unpack(message);
  const results = engine.write(operations.map(unpackWrite), now, withPrevious);
  return WRITE_ANSWER.pack({ results, nextDue: nextDue(engine) });
}
