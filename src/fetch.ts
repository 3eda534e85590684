export { toFetchHandler } from './bridge/fetch/handler.js';
export type { FetchHandler } from './bridge/fetch/handler.js';
export type { FetchHandlerOptions, FetchInfo } from './bridge/fetch/options.js';
export type { BridgeOptions, FailurePlace } from './bridge/options.js';
export type { AbortCode, AbortReason } from './bridge/abort-reason.js';
