import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { loadDriver } from '../../store/sqlite/driver.js';
import { messageOf } from '../stores/open-store.js';
import { sqliteAt, type StoreChoice } from '../stores/store-url.js';

/** Where events are kept when `--store` does not say. */
export interface DefaultStore {
  readonly choice: StoreChoice;
  /** How they could be kept on this disk, where they are not. */
  readonly keepAdvice?: string;
}

/**
 * A file in the data directory where this Node has a driver for SQLite, else memory. A file that is there already is never
 * passed over in favour of memory: its events would seem to be lost.
 *
 * @param load tries to load a driver, and throws an Error that says what to install
 * @throws Error when the file is there and no driver
 */
export async function defaultStore(
  dataDir: string,
  load: () => Promise<unknown> = () => loadDriver('auto'),
): Promise<DefaultStore> {
  const path = join(dataDir, 'events.db');
  const fault = await load().then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  if (fault === undefined) return { choice: sqliteAt(path) };
  if (await exists(path)) {
    throw new Error(
      `--store: ${path} holds the events of an earlier start, and ${fault}; --store=memory starts without them`,
    );
  }
  return {
    choice: { kind: 'memory', shown: 'memory' },
    keepAdvice:
      'To keep them in a file, run Node 22.13 or later, or install a driver for SQLite beside kube-vitals: npm install kube-vitals libsql',
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
