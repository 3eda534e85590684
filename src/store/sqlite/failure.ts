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

/** Reads SQLite's result code from an error of any driver. */
export function faultOf(error: unknown): Fault {
  const { code, errcode, rawCode } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const number = typeof errcode === 'number' ? errcode : rawCode;
  const found = FAULTS.find(([codes, names]) =>
    typeof number === 'number' ? codes.includes(number & 0xff) : typeof code === 'string' && names.test(code),
  );
  return found?.[2] ?? 'other';
}

/** Whether the disk had no room. A file system may report that as a failure to write. */
export function lacksSpace(error: unknown): boolean {
  return faultOf(error) === 'full' || faultOf(error) === 'io';
}

const ADVICE: Readonly<Record<Fault, string>> = {
  full: 'there is no room left to write: free space on its disk, or raise maxFileBytes',
  io: 'its disk reports errors',
  corrupt: 'it is damaged: restore it from a copy, or run "PRAGMA integrity_check" on it to see what is wrong',
  busy: 'another program has locked it',
  other: 'SQLite reported an error',
};

/** The message contains the driver's, because errors cross threads without their cause. */
export function sqliteFailure(path: string, error: unknown): StoreError {
  const fault = faultOf(error);
  return storeError('unavailable', `the database file ${path} cannot be used: ${ADVICE[fault]} (${messageOf(error)})`, {
    onlyWrites: fault === 'full',
  });
}
