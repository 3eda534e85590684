export { toKoaMiddleware } from './bridge/node/koa-middleware.js';
export type { KoaContext, KoaMiddleware, KoaMiddlewareOptions } from './bridge/node/koa-middleware.js';
export type { NodeIncoming, NodeOutgoing } from './bridge/node/message.js';
export type { NodeSocket } from './bridge/exchange/node-socket.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
