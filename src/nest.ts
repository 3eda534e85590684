export { EVENTS, HEALTH, KubeVitalsModule } from './nest/kube-vitals-module.js';
export type {
  KubeVitalsModuleAsyncOptions,
  KubeVitalsModuleClass,
  KubeVitalsModuleOptions,
  NestDynamicModule,
} from './nest/kube-vitals-module.js';
export type { KubeVitalsShutdownOptions } from './nest/shutdown.js';
export type { BridgeOptions, FailurePlace } from './bridge/exchange/options.js';
