export { toFastifyPlugin } from './bridge/node/fastify-plugin.js';
export type {
  FastifyDone,
  FastifyInstanceLike,
  FastifyOnRequest,
  FastifyPlugin,
  FastifyPluginOptions,
  FastifyReplyLike,
  FastifyRequestLike,
} from './bridge/node/fastify-plugin.js';
export type { NodeIncoming, NodeOutgoing } from './bridge/node/message.js';
export type { NodeSocket } from './bridge/exchange/node-socket.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
