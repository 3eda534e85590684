export { isProbe, type ProbeRequest } from './observe/is-probe.js';
export {
  consoleObserver,
  loggerObserver,
  type ConsoleLike,
  type LoggerLike,
  type ObserverOptions,
} from './observe/observers.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
