import type { ListOptions } from '../../api/options/list-options.js';
import type { FrameEncoder } from '../../api/representation/contract.js';
import type { Selector } from '../../api/selectors/contract.js';
import type { VerbCall } from '../request/call.js';

/** What a watch was asked for, and its end. */
export interface WatchParts {
  readonly call: VerbCall;
  readonly options: ListOptions;
  readonly selector: Selector;
  readonly encoder: FrameEncoder;
  /** Equal for watches with the same selector. */
  readonly selectionKey: string;
  /** What its frames are in: equal forms of equal changes are equal bytes. `undefined` for a stream that has a memory. */
  readonly form: string | undefined;
  /** Aborted when the watch is over. */
  readonly signal: AbortSignal;
}

/** One stretch of a watch's frames, as chunks ready to be written. */
export interface FrameSource {
  /** The next chunk; `undefined`: nothing yet, the source wakes who asked; `'end'`: there will be none. May throw. */
  poll(): Uint8Array | 'end' | undefined;
  /** The watch is over, nobody will ask again. */
  stop(): void;
}
