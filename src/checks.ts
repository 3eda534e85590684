export { certificateCheck, type CertificateOptions } from './checks/certificate.js';
export type { CommonOptions } from './checks/make-check.js';
export { diskCheck, type DiskOptions } from './checks/disk.js';
export {
  eventLoopDelayCheck,
  eventLoopUtilizationCheck,
  type EventLoopDelayOptions,
  type EventLoopUtilizationOptions,
} from './checks/event-loop.js';
export { gaugeCheck, type GaugeOptions } from './checks/gauge.js';
export { createHolds, type HoldOptions, type Holds, type HoldsOptions, type Release } from './checks/holds.js';
export { heapCheck, memoryCheck, type HeapOptions, type MemoryOptions } from './checks/memory.js';
export { dnsCheck, httpCheck, tcpCheck, type DnsOptions, type HttpOptions, type TcpOptions } from './checks/network.js';
export { storeCheck, type StoreCheckOptions } from './checks/store.js';
export type { CheckContext, CheckFunction, CheckResult, HealthCheck, HealthRoot } from './health/contract.js';
export type { Clock, ClockTimer } from './clock/clock.js';
