import { hasBrand } from '../../model/brand.js';

const BRAND: unique symbol = Symbol.for('kube-vitals.EtcdFailure') as never;

/** gRPC status codes: the request timed out; the network failed. */
export const DEADLINE_EXCEEDED = 4;
export const UNAVAILABLE = 14;

/** How a request to etcd failed, the same over both protocols. */
export interface EtcdFailure extends Error {
  readonly code: number;
  /** False: it certainly never reached etcd. */
  readonly sent: boolean;
}

export function etcdFailure(code: number, message: string, sent: boolean): EtcdFailure {
  return Object.assign(new Error(message), { name: 'EtcdFailure', code, sent, [BRAND]: true }) as EtcdFailure;
}

/**
 * What to do about a failure.
 * - `away`: this member is unavailable, another one may not be; nothing was changed
 * - `unknown-outcome`: as `away`, but a write may have happened
 * - `token`: the token is no longer valid, or is needed since authentication was enabled
 * - `no-auth`: there are no tokens, because authentication is not enabled
 * - `compacted`, `future`: the revision of a read is too old, or does not exist yet
 * - `too-large`: the request is; `response-too-large`: the response is, for the gateway of etcd
 * - `no-space`: the database has reached its quota, and no member accepts writes
 * - `refused`: etcd refuses the request, and would do so again
 */
export type FailureClass =
  | 'away'
  | 'unknown-outcome'
  | 'token'
  | 'no-auth'
  | 'compacted'
  | 'future'
  | 'too-large'
  | 'response-too-large'
  | 'no-space'
  | 'refused';

/** Published error strings of etcd that determine the class, whatever their code. */
const MESSAGES: readonly (readonly [part: string, failureClass: FailureClass])[] = [
  ['required revision has been compacted', 'compacted'],
  ['required revision is a future revision', 'future'],
  ['request is too large', 'too-large'],
  ['trying to send message larger than max', 'too-large'],
  ['received message larger than max', 'response-too-large'],
  ['database space exceeded', 'no-space'],
  ['invalid auth token', 'token'],
  ['revision of auth store is old', 'token'],
  ['user name is empty', 'token'],
  ['authentication is not enabled', 'no-auth'],
  ['too many requests', 'away'],
  ['proposal dropped', 'away'],
  ['etcdserver: no leader', 'away'],
  ['etcdserver: not leader', 'away'],
  ['etcdserver: rpc not supported for learner', 'away'],
];

/** After these another member may succeed: canceled, unknown, deadline, aborted, internal, unavailable, data loss. */
const PASSING: ReadonlySet<number> = new Set([1, 2, 4, 10, 13, 14, 15]);
const UNAUTHENTICATED = 16;

/** The class of a failure; anything but an {@link EtcdFailure} is a bug of this program and `refused`. */
export function failureClassOf(failure: unknown): FailureClass {
  if (!hasBrand(failure, BRAND)) return 'refused';
  const { message, code, sent } = failure as EtcdFailure;
  for (const [part, failureClass] of MESSAGES) if (message.includes(part)) return failureClass;
  if (code === UNAUTHENTICATED) return 'token';
  if (!PASSING.has(code)) return 'refused';
  return sent ? 'unknown-outcome' : 'away';
}
