import { messageOf } from '../../model/error-message.js';
import { storeError, type StoreError } from '../contract/errors.js';

type Fault = 'full' | 'io' | 'corrupt' | 'busy' | 'other';

/** SQLite's result codes, by number and by name. */
const FAULTS: readonly (readonly [codes: readonly number[], names: RegExp, fault: Fault])[] = [
  [[5, 6], /^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [[10], /^SQLITE_IOERR/, 'io'],
  [[11, 26], /^SQLITE_(CORRUPT|NOTADB)/, 'corrupt'],
  [[13], /^SQLITE_FULL/, 'full'],
];

/** SQLite's result code in an error of any driver: a number, a name or neither. */
function codeOf(error: unknown): unknown {
  const { code, errcode, rawCode } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return [errcode, rawCode].find((number) => typeof number === 'number') ?? code;
}

/** What kind of failure an error of any driver is. */
export function faultOf(error: unknown): Fault {
  const code = codeOf(error);
  const found = FAULTS.find(([codes, names]) =>
    typeof code === 'number' ? codes.includes(code & 0xff) : typeof code === 'string' && names.test(code),
  );
  return found?.[2] ?? 'other';
}

/** Whether a sync failed: what was written before it is in the file, and may not be on disk. */
export function isSyncFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code === 1034 || code === 'SQLITE_IOERR_FSYNC';
}

/** Whether the disk had no room. A file system may report that as a failure to write. */
export function lacksSpace(error: unknown): boolean {
  return faultOf(error) === 'full' || faultOf(error) === 'io';
}

const ADVICE: Readonly<Record<Fault, string>> = {
  full: 'there is no space left to write: free space on its disk, or raise maxFileBytes',
  io: 'its disk reports errors',
  corrupt: 'it is damaged: restore it from a copy, or run "PRAGMA integrity_check" on it to see what is wrong',
  busy: 'another program has locked it',
  other: 'SQLite reported an error',
};

/** An error of the file. */
export interface SqliteFailure extends StoreError {
  /** Another program has locked the file: nothing was changed, and a repetition may succeed. */
  readonly isLocked?: boolean | undefined;
}

/** The message contains the driver's, because errors cross threads without their cause. */
export function sqliteFailure(path: string, error: unknown): SqliteFailure {
  const fault = faultOf(error);
  const message = `the database file ${path} cannot be used: ${ADVICE[fault]} (${messageOf(error)})`;
  const failure = storeError('unavailable', message, { onlyWrites: fault === 'full' });
  return Object.assign(failure, { isLocked: fault === 'busy' });
}
