import type { EventStore } from '../../../../src/store/contract/event-store.js';
import type { LoadedDriver } from '../../../../src/store/sqlite/driver.js';
import { openEngine } from '../../../../src/store/sqlite/engine.js';
import type { SqliteStoreOptions } from '../../../../src/store/sqlite/options.js';
import { serve } from '../../../../src/store/sqlite/serve.js';
import { createSqliteStore } from '../../../../src/store/sqlite/sqlite-store.js';
import type { EngineHost } from '../../../../src/store/sqlite/worker-host.js';
import { START } from './engine-bench.js';

/** A host whose engine runs in this thread. */
export function inThreadHost(driver: LoadedDriver, options: SqliteStoreOptions): EngineHost {
  const engine = openEngine(driver, options, options.clock?.now() ?? START);
  return {
    send: async (kind, body) => serve(engine, kind, body),
    close: async () => engine.close(),
  };
}

/** The whole store, without a worker. */
export function inThreadStore(driver: LoadedDriver, options: SqliteStoreOptions): EventStore {
  return createSqliteStore(options, inThreadHost(driver, options));
}
