export { sqliteStore } from './store/sqlite/sqlite-store.js';
export type { SqliteDriver, SqliteStoreOptions } from './store/sqlite/options.js';
export type { EventStore } from './store/contract/event-store.js';
