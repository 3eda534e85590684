import type { Clock } from '../../clock/clock.js';
import type { BridgeOptions } from '../options.js';

/** Options of `toNodeListener`. */
export interface NodeListenerOptions extends BridgeOptions {
  /** Times how long the rest of a refused body is read. Default: the system's clock. */
  readonly clock?: Clock | undefined;
}
