import { createRequire } from 'node:module';
import process from 'node:process';
import { messageOf } from '../../model/error-message.js';
import type { SqliteDriver } from './options.js';

/** A value bound to a statement. Never text, which a driver cuts at a NUL. */
export type SqlValue = number | Uint8Array | null;

/** A row by its column names. Blobs are read with `bytesOf`. */
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlStatement {
  run(...values: readonly SqlValue[]): number;
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): readonly SqlRow[];
}

export interface SqlConnection {
  exec(sql: string): void;
  /** A statement is prepared once for each text. */
  prepare(sql: string): SqlStatement;
  close(): void;
}

export interface LoadedDriver {
  open(path: string): SqlConnection;
}

export function prepareAll<Name extends string>(
  connection: SqlConnection,
  statements: Readonly<Record<Name, string>>,
): Readonly<Record<Name, SqlStatement>> {
  return Object.fromEntries(
    Object.entries<string>(statements).map(([name, sql]) => [name, connection.prepare(sql)]),
  ) as Record<Name, SqlStatement>;
}

type ForeignValues = readonly (SqlValue | readonly SqlValue[])[];

interface ForeignStatement {
  run(...values: ForeignValues): { readonly changes: number | bigint };
  get(...values: ForeignValues): SqlRow | undefined;
  all(...values: ForeignValues): readonly SqlRow[];
}

interface ForeignConnection {
  exec(sql: string): unknown;
  prepare(sql: string): ForeignStatement;
  close(): void;
}

type ForeignDatabase = new (path: string) => ForeignConnection;

/** The bytes of a blob column: drivers return an ArrayBuffer, a Buffer or a Uint8Array. */
export function bytesOf(value: unknown): Uint8Array {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as Uint8Array);
}

function wrap(name: SqliteDriver, Database: ForeignDatabase): LoadedDriver {
  // libsql mistakes a single blob for an object of named values and ends the process; node:sqlite takes no arrays.
  const pass = (values: readonly SqlValue[]): ForeignValues => (name === 'libsql' ? [values] : values);
  return {
    open(path) {
      const db = new Database(path);
      const prepared = new Map<string, SqlStatement>();
      const prepare = (sql: string): SqlStatement => {
        const statement = db.prepare(sql);
        return {
          run: (...values) => Number(statement.run(...pass(values)).changes),
          get: (...values) => statement.get(...pass(values)),
          all: (...values) => statement.all(...pass(values)),
        };
      };
      return {
        exec: (sql) => void db.exec(sql),
        prepare(sql) {
          const known = prepared.get(sql) ?? prepare(sql);
          prepared.set(sql, known);
          return known;
        },
        close: () => db.close(),
      };
    },
  };
}

/** Node 22 warns that its own module is experimental, about which users of this store can do nothing. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  const emitOthers = (...args: unknown[]): void => {
    if (!/^SQLite is an experimental feature/.test(String(args[0]))) Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = emitOthers;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Loads modules without types: node:sqlite is younger than the oldest supported Node. */
function requireHere(name: string): unknown {
  return createRequire(import.meta.url)(name);
}

/** better-sqlite3 13 ends the process silently on a Node without Node-API 10, so check before loading it. */
function checkBetterSqlite3(): void {
  const { version } = requireHere('better-sqlite3/package.json') as { readonly version: string };
  if (Number.parseInt(version, 10) >= 13 && Number(process.versions.napi) < 10) {
    throw new Error(`better-sqlite3 ${version} cannot run on Node ${process.version}: install version 12, or libsql`);
  }
}

const LOADERS: Readonly<Record<SqliteDriver, () => unknown>> = {
  'node:sqlite': () =>
    withoutExperimentalWarning(() => (requireHere('node:sqlite') as { readonly DatabaseSync: unknown }).DatabaseSync),
  'better-sqlite3'() {
    checkBetterSqlite3();
    return requireHere('better-sqlite3');
  },
  libsql: async () => (await import('libsql')).default,
};

const ADVICE: Readonly<Record<SqliteDriver | 'auto', string>> = {
  auto: 'run "npm install libsql"',
  libsql: 'run "npm install libsql"',
  'better-sqlite3': 'run "npm install better-sqlite3", or leave `driver` out and run "npm install libsql"',
  'node:sqlite': 'run Node 22.13 or later, or leave `driver` out',
};

function isAbsent(code: unknown): boolean {
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE';
}

/** Why a driver cannot be used, in one line. */
export function whyUnusable(name: SqliteDriver, error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  if (isAbsent(code)) return `${name}: not available`;
  const [line = ''] = messageOf(error).split('\n', 1);
  // After an update of Node; and where the package manager ran no install scripts, as pnpm by default.
  const unbuilt = code === 'ERR_DLOPEN_FAILED' || line.startsWith('Could not locate the bindings file');
  return `${name}: ${unbuilt ? `not built for this Node and system, run "npm rebuild ${name}"` : line}`;
}

/** Loads the named driver, or the first that works: node:sqlite (Node 22.13 and later), better-sqlite3, libsql. */
export async function loadDriver(wanted: SqliteDriver | 'auto' = 'auto'): Promise<LoadedDriver> {
  const names = wanted === 'auto' ? (Object.keys(LOADERS) as SqliteDriver[]) : [wanted];
  const reasons: string[] = [];
  for (const name of names) {
    try {
      const driver = wrap(name, (await LOADERS[name]()) as ForeignDatabase);
      // better-sqlite3 loads its binary only now.
      driver.open(':memory:').close();
      return driver;
    } catch (error) {
      reasons.push(whyUnusable(name, error));
    }
  }
  throw new Error(`no SQLite driver can be used on Node ${process.version}: ${ADVICE[wanted]} (${reasons.join('; ')})`);
}
