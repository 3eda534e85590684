export { etcdStore } from './store/etcd/etcd-store.js';
export type { EtcdStoreOptions, EtcdTlsOptions } from './store/etcd/options.js';
export type { EventStore } from './store/contract/event-store.js';
