export {
  createLifecycle,
  type Lifecycle,
  type LifecyclePhase,
  type ShutdownResult,
} from './lifecycle/create-lifecycle.js';
export type { LifecycleOptions, ShutdownStep } from './lifecycle/options.js';
export { runPostStartHooks, type PostStartHooksOptions, type StartupHook } from './lifecycle/post-start-hooks.js';
export type { Clock, ClockTimer } from './clock/clock.js';
export type { Observation, Observe, RequestObservation, WatchIdentity } from './observe/observation.js';
