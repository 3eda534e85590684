import type { EventStore } from '../../../../src/store/contract/event-store.js';
import type { LoadedDriver } from '../../../../src/store/sqlite/driver.js';
import { openSyncStore } from '../../../../src/store/sqlite/sync-store.js';
import type { SqliteStoreOptions } from '../../../../src/store/sqlite/options.js';
import { respond } from '../../../../src/store/sqlite/respond.js';
import { createSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { WorkerHost } from '../../../../src/store/sqlite/worker-host.js';
import { START } from './sync-store-bench.js';

/** A host whose store runs in this thread. Messages are copied, as between threads. */
export function inThreadHost(driver: LoadedDriver, options: SqliteStoreOptions): WorkerHost {
  const store = openSyncStore(driver, options, options.clock?.now() ?? START);
  const first = store.revision();
  return {
    first,
    get latest() {
      return store.latest;
    },
    send: async (kind, body) => structuredClone(respond(store, kind, structuredClone(body))),
    close: async () => store.close(),
  };
}

/** The whole store, without a worker. */
export function inThreadStore(driver: LoadedDriver, options: SqliteStoreOptions): EventStore {
  return createSqliteStore(options, inThreadHost(driver, options));
}
