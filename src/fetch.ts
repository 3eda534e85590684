export { toFetchHandler, type FetchHandler, type FetchHandlerOptions } from './bridge/fetch/handler.js';
export type { FetchInfo } from './bridge/fetch/fetch-exchange.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
export type { AbortReason } from './bridge/exchange/abort-reason.js';
export type { AbortCode } from './model/abort-code.js';
