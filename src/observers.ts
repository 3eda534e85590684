export { consoleObserver, type ConsoleLike } from './observe/console-observer.js';
export { isProbe, type ProbeRequest } from './observe/is-probe.js';
export { loggerObserver, type LoggerLike, type ObserverOptions } from './observe/logger-observer.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
