export { toKoaMiddleware } from './bridge/node/koa-middleware.js';
export type { KoaContext, KoaMiddleware, KoaMiddlewareOptions } from './bridge/node/koa-middleware.js';
export type { NodeIncoming, NodeOutgoing, NodeSocket } from './bridge/node/message.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
