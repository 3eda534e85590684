import type { BridgeOptions } from '../options.js';

/** Options of `toNodeListener`. */
export type NodeListenerOptions = BridgeOptions;
