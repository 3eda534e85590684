import type { EngineOptions } from './options.js';
import type { RequestKind } from './serve.js';

/** What the worker is started with. */
export interface WorkerStart {
  readonly options: EngineOptions;
  /** The wall clock, microseconds. */
  readonly now: number;
}

/** To the worker. Bodies are transferred, not copied. */
export type ToWorker =
  { readonly kind: RequestKind; readonly id: number; readonly body: ArrayBuffer } | { readonly kind: 'close' };

/** From the worker. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly body: ArrayBuffer };
