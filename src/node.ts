export { gracefulClose } from './bridge/node/graceful-close.js';
export type { ClosableServer, GracefulCloseOptions } from './bridge/node/graceful-close.js';
export { toNodeListener } from './bridge/node/listener.js';
export type { NodeListener } from './bridge/node/listener.js';
export type { Http2SessionLike, NodeIncoming, NodeOutgoing, NodeSocket } from './bridge/node/message.js';
export type { NodeListenerOptions } from './bridge/node/listener.js';
export { orderRequests } from './bridge/node/order-requests.js';
export type { OrderableServer } from './bridge/node/order-requests.js';
export { trackConnections } from './bridge/node/track-connections.js';
export type {
  ConnectionTracker,
  TrackableAnswer,
  TrackableServer,
  TrackableSocket,
} from './bridge/node/track-connections.js';
export type { FailurePlace } from './bridge/exchange/options.js';
export type { BridgeOptions } from './bridge/exchange/options.js';
export type { AbortReason } from './bridge/exchange/abort-reason.js';
export type { AbortCode } from './model/abort-code.js';
export { installShutdown } from './install-shutdown.js';
export type { InstalledShutdown } from './install-shutdown.js';
export type { InstallShutdownOptions, ShutdownRecorder, ShutdownReport, ShutdownServer } from './shutdown-options.js';
export type { ShutdownSignal } from './bridge/node/process-signals.js';
export type { OpenConnections } from './bridge/node/track-connections.js';
