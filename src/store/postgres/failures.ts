import { messageOf } from '../../model/error-message.js';
import { isStoreError, storeError, type StoreError } from '../contract/errors.js';

export type RequestKind = 'read' | 'write';

/** Codes of Node and drivers for connections that could not be established. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SASL_SIGNATURE_MISMATCH',
  'AUTH_TYPE_NOT_IMPLEMENTED',
]);

export const DISK_FULL = '53100';

/**
 * Errors of a write that those after it will get as well, while reads may work: the session is read-only, a right is
 * missing, the disk is full, a lock is held, or a limit on the duration of statements is too short.
 */
const REFUSES_WRITES: ReadonlySet<unknown> = new Set(['25006', '42501', DISK_FULL, '55P03', '57014']);

const ADVICE: Readonly<Record<string, string>> = Object.freeze({
  '25006': 'the server accepts no writes: it is a standby, or default_transaction_read_only is on',
  '28000': 'the server refused the login',
  '28P01': 'the server refused the password',
  '3D000': 'the database does not exist',
  '3F000': 'the schema no longer exists',
  '40001': 'transactions are not read committed by default, or the server is a standby',
  '42P01': 'a table of the schema no longer exists',
  '42883': 'a function of the schema no longer exists',
  [DISK_FULL]: 'the disk of the server is full',
  '53200': 'the server is out of memory',
  '53300': 'the server has no free connection',
  '55P03': 'another transaction holds the lock on the revision counter for too long',
  '57014': 'the server cancelled the statement',
  '57P03': 'the server is starting up or shutting down',
});

/** Server errors after which a commit may have happened: the backend was ended, or the outcome is unknown to it. */
function isOutcomeUnknown(state: string): boolean {
  if (state === '57P03' || state === '08001' || state === '08004') return false;
  return state.startsWith('57P') || state.startsWith('08') || state === '40003';
}

/** The severity of a failure of the whole server, in languages whose word for it begins alike: PANIC, PANIK, PANICO. */
const PANIC = /^PANI/i;

/** SQLSTATE of the server's error behind a StoreError. */
export function stateOf(error: unknown): unknown {
  return ((error as { cause?: unknown } | null | undefined)?.cause as { code?: unknown } | undefined)?.code;
}

export function grantsFor(schema: string, role: string): string {
  return (
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}; ` +
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}; ` +
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role}`
  );
}

/**
 * The error of a failed request. Nothing was written if nothing was sent, or if the server itself returned an error,
 * which rolls back; otherwise the outcome of a write is unknown, also after a PANIC: where a commit cannot be synced, its
 * record may be in the log, from which the server recovers. `schema` is quoted.
 */
export function failureOf(error: unknown, kind: RequestKind, schema: string): StoreError {
  if (isStoreError(error)) return error;
  const { code, notSent, severity } = (error ?? {}) as Readonly<Record<'code' | 'notSent' | 'severity', unknown>>;
  const state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code) ? code : undefined;
  const certain =
    kind === 'read' ||
    notSent === true ||
    NEVER_CONNECTED.has(code) ||
    (state !== undefined && !isOutcomeUnknown(state) && !PANIC.test(String(severity)));
  const advice = state === '42501' ? `a right is missing: ${grantsFor(schema, '<role>')}` : ADVICE[state ?? ''];
  const message = `PostgreSQL: ${advice === undefined ? '' : `${advice}: `}${messageOf(error)}`;
  const onlyWrites = certain && kind === 'write' && REFUSES_WRITES.has(state);
  return storeError(certain ? 'unavailable' : 'unknown-outcome', message, { cause: error, onlyWrites });
}
