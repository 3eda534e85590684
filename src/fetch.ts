export { toFetchHandler } from './bridge/fetch/handler.js';
export type { FetchHandler, FetchHandlerOptions } from './bridge/fetch/handler.js';
export type { FetchInfo } from './bridge/fetch/request.js';
export type { FailurePlace } from './bridge/exchange/options.js';
export type { BridgeOptions } from './bridge/exchange/options.js';
export type { AbortReason } from './bridge/exchange/abort-reason.js';
export type { AbortCode } from './model/abort-code.js';
