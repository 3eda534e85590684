export { toHonoMiddleware } from './bridge/fetch/hono-middleware.js';
export type { HonoContext, HonoMiddleware, HonoMiddlewareOptions } from './bridge/fetch/hono-middleware.js';
export type { FailurePlace } from './bridge/exchange/options.js';
export type { BridgeOptions } from './bridge/exchange/options.js';
