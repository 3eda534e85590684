import { storeError, type StoreError } from '../contract/errors.js';

/** What a driver's error means for the store. */
export type Fault = 'full' | 'io' | 'corrupt' | 'busy' | 'other';

const BY_CODE: ReadonlyMap<number, Fault> = new Map([
  [5, 'busy'],
  [6, 'busy'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [26, 'corrupt'],
]);

const BY_NAME: readonly (readonly [pattern: RegExp, fault: Fault])[] = [
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_IOERR/, 'io'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'corrupt'],
  [/^SQLITE_FULL/, 'full'],
];

/** Reads SQLite's result code out of an error of any driver. */
export function faultOf(error: unknown): Fault {
  const { code, errcode, rawCode } = (error ?? {}) as {
    readonly code?: unknown;
    readonly errcode?: unknown;
    readonly rawCode?: unknown;
  };
  const number = typeof errcode === 'number' ? errcode : rawCode;
  if (typeof number === 'number') return BY_CODE.get(number & 0xff) ?? 'other';
  return BY_NAME.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1] ?? 'other';
}

const ADVICE: Readonly<Record<Fault, string>> = {
  full: 'there is no room left to write: free space on its disk, or raise maxFileBytes',
  io: 'its disk does not work as it should',
  corrupt: 'it is damaged: restore it from a copy, or run "PRAGMA integrity_check" on it to see what is wrong',
  busy: 'another program holds it locked',
  other: 'SQLite refused',
};

/** The driver's error in the store's words. The driver's own is in the message: it may come from another thread. */
export function sqliteFailure(path: string, error: unknown): StoreError {
  const text = error instanceof Error ? error.message : String(error);
  const fault = faultOf(error);
  return storeError('unavailable', `the database file ${path} cannot be used: ${ADVICE[fault]} (${text})`, {
    onlyWrites: fault === 'full',
  });
}
