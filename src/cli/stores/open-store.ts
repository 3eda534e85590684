import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isStoreError, memoryStore, type EventStore, type Observe } from '../../index.js';
import { messageOf } from '../../model/error-message.js';
import { isLocal, type StoreChoice, sqliteAt } from './store-url.js';
import { resolve } from 'node:path';
import { loadDriver } from '../../store/sqlite/driver.js';

const PING_TIMEOUT_MS = 3_000;

/** For {@link openStore}. */
export interface OpenStoreOptions {
  /** The first revision of a new local store; shared stores keep their own counter. */
  readonly startAt?: number | undefined;
  /** What names the store on the command line, for error messages. Default: `--store`. */
  readonly source?: string | undefined;
  /** Whether the schema in a database is created or updated. Default: true. */
  readonly migrate?: boolean | undefined;
  /** Receives the errors of background work. */
  readonly observe?: Observe | undefined;
}

/** Creates the store. Only the chosen engine and its driver are loaded. */
export async function openStore(choice: StoreChoice, options: OpenStoreOptions): Promise<EventStore> {
  const { startAt, source = '--store', migrate, observe } = options;
  switch (choice.kind) {
    case 'memory':
      return memoryStore({ startAt });
    case 'sqlite': {
      const { sqliteStore } = await import('../../sqlite.js');
      return sqliteStore({ path: choice.path, startAt });
    }
    case 'postgres': {
      const { postgresStore } = await import('../../postgres.js');
      const { connectionString, schema } = choice;
      return postgresStore({ connectionString, schema, migrate, observe });
    }
    case 'etcd': {
      const { endpoints, prefix, username, password } = choice;
      const { etcdStore } = await import('../../etcd.js');
      return etcdStore({
        endpoints,
        prefix,
        observe,
        ...(username !== undefined && { username, password: password ?? '' }),
        ...(Object.keys(choice.files).length > 0 && { tls: await readFiles(choice.files, source) }),
      });
    }
  }
}

/**
 * Whether the store can be read and written. A local one must respond: otherwise the command line is wrong. One on the
 * network may become available later, but not its driver. A full disk is no reason not to start: expiry frees space.
 */
export async function pingStore(store: EventStore, choice: StoreChoice, log: (line: string) => void): Promise<boolean> {
  const local = isLocal(choice);
  try {
    await store.ping(local ? {} : { signal: AbortSignal.timeout(PING_TIMEOUT_MS), withinMs: PING_TIMEOUT_MS });
    return true;
  } catch (error) {
    if (isStoreError(error) && error.onlyWrites === true) {
      log(`the store ${choice.shown} can be read but not written (${error.message})`);
      return false;
    }
    if (local || lacksDriver(error)) throw new Error(`--store: ${openingFault(error)}`, { cause: error });
    log(`the store ${choice.shown} does not respond (${openingFault(error)}); /readyz fails until it does`);
    return false;
  }
}

/** Advice in the library's errors that names options which the program does not have. */
const FOREIGN_ADVICE =
  /, or set transport: 'gateway'|: apply postgresSchema\(\), or open the store without migrate: false|, or let its owner apply postgresSchema\(\) and open the store with migrate: false/;

/** The text of an error of the library, with advice that can be followed without calling it. */
export function forProgram(text: string): string {
  return text
    .replace(FOREIGN_ADVICE, '')
    .replace(
      /(let their owner )?apply postgresSchema\(\) of this release/,
      'start kube-vitals serve once as their owner',
    );
}

/** Why a store cannot be opened. */
export function openingFault(error: unknown): string {
  return forProgram(messageOf(error));
}

/** Whether the error, or what caused it, is that a package is not installed. */
function lacksDriver(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return String((error as { readonly code?: unknown }).code).endsWith('MODULE_NOT_FOUND') || lacksDriver(error.cause);
}

type Texts = Readonly<Record<string, string>>;

async function readFiles(files: Texts, source: string): Promise<Texts> {
  const read = Object.entries(files).map(async ([name, path]) => {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new Error(`${source}: ${name} cannot be read: ${messageOf(error)}`, { cause: error });
    });
    return [name, text] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

export interface DefaultStore {
  readonly choice: StoreChoice;
  /** How they could be stored on this disk, if they are not. */
  readonly keepAdvice?: string;
}

/** Never ignores an existing file and uses memory instead: its events would seem to be lost. */
export async function defaultStore(dataDir: string, load: () => Promise<unknown> = loadDriver): Promise<DefaultStore> {
  // Absolute, because the store refuses a path that begins with `file:`, such as that of a directory `file:x`.
  const path = resolve(dataDir, 'events.db');
  const fault = await load().then(() => undefined, messageOf);
  if (fault === undefined) return { choice: sqliteAt(path) };
  if (existsSync(path)) {
    throw new Error(
      `--store: ${path} contains the events of an earlier start, and ${fault}; --store=memory starts without them`,
    );
  }
  return {
    choice: { kind: 'memory', shown: 'memory' },
    keepAdvice:
      'To keep them in a file, run Node 22.13 or later, or install a driver for SQLite beside kube-vitals: npm install kube-vitals libsql',
  };
}
