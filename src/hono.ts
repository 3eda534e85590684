export { toHonoMiddleware } from './bridge/fetch/hono-middleware.js';
export type { HonoContext, HonoMiddleware, HonoMiddlewareOptions } from './bridge/fetch/hono-middleware.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
