export { postgresStore } from './store/postgres/postgres-store.js';
export type { PostgresStoreOptions } from './store/postgres/options.js';
export { postgresSchema, type PostgresSchemaOptions } from './store/postgres/schema.js';
export { postgresJsClient, type PendingRows, type PostgresJsSql } from './store/postgres/postgres-js.js';
export type { PostgresCall, PostgresClient, PostgresValue } from './store/postgres/client.js';
export type { CancellableClient } from './store/postgres/cancel-query.js';
export type { PgPool, PgPoolClient } from './store/postgres/pg-client.js';
export type { EventStore } from './store/contract/event-store.js';
