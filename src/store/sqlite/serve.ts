import type { StoreError } from '../contract/errors.js';
import type { SqliteEngine } from './engine.js';
import type { EngineOptions } from './options.js';
import {
  READ_RESPONSE,
  READS,
  unpackWrite,
  WRITE_RESPONSE,
  WRITES,
  type ReadOperation,
  type ReadResult,
} from './protocol.js';

export interface WorkerStart {
  readonly options: EngineOptions;
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

function read(engine: SqliteEngine, { kind, given }: ReadOperation): ReadResult | StoreError {
  try {
    return { kind, value: (engine[kind] as (given: unknown) => unknown)(given) } as ReadResult;
  } catch (error) {
    // The engine fails only with StoreErrors.
    return error as StoreError;
  }
}

function nextDue(engine: SqliteEngine): number | undefined {
  try {
    return engine.nextDue();
  } catch {
    // The next write fails for the same reason.
    return undefined;
  }
}

export function serve(engine: SqliteEngine, kind: RequestKind, message: ArrayBuffer): ArrayBuffer {
  if (kind === 'read') return READ_RESPONSE.pack(READS.unpack(message).map((operation) => read(engine, operation)));
  const { operations, now, withPrevious } = WRITES.unpack(message);
  const results = engine.write(operations.map(unpackWrite), now, withPrevious);
  return WRITE_RESPONSE.pack({ results, nextDue: nextDue(engine) });
}
