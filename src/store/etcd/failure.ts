const BRAND: unique symbol = Symbol.for('kube-vitals.EtcdFailure') as never;

/** How a request to etcd failed, the same over both protocols. */
export interface EtcdFailure extends Error {
  /** The gRPC status code. Failures of the network are 14, given up is 4. */
  readonly code: number;
  /** False: it certainly never reached etcd. */
  readonly sent: boolean;
}

/** Makes an {@link EtcdFailure}. */
export function etcdFailure(code: number, message: string, sent: boolean): EtcdFailure {
  return Object.assign(new Error(message), { name: 'EtcdFailure', code, sent, [BRAND]: true }) as EtcdFailure;
}

function isEtcdFailure(value: unknown): value is EtcdFailure {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/**
 * What to do about a failure.
 * - `away`: this member cannot do it now, another one may; nothing was changed
 * - `doubt`: as `away`, but a write may have happened
 * - `token`: the token is no longer good
 * - `compacted`, `future`: the revision of a read
 * - `too-large`: the request; `answer-too-large`: the answer, for the gateway of etcd
 * - `no-space`: the database has reached its quota, no member writes
 * - `refused`: etcd says no, and would say it again
 */
export type Verdict =
  'away' | 'doubt' | 'token' | 'compacted' | 'future' | 'too-large' | 'answer-too-large' | 'no-space' | 'refused';

/** Messages of etcd that mean something by themselves, whatever their code. They are its published error strings. */
const MESSAGES: readonly (readonly [part: string, verdict: Verdict])[] = [
  ['required revision has been compacted', 'compacted'],
  ['required revision is a future revision', 'future'],
  ['request is too large', 'too-large'],
  ['trying to send message larger than max', 'too-large'],
  ['received message larger than max', 'answer-too-large'],
  ['database space exceeded', 'no-space'],
  ['invalid auth token', 'token'],
  ['revision of auth store is old', 'token'],
  ['too many requests', 'away'],
  ['proposal dropped', 'away'],
  ['etcdserver: no leader', 'away'],
  ['etcdserver: not leader', 'away'],
  ['etcdserver: rpc not supported for learner', 'away'],
];

/** Codes after which another member may know better: canceled, unknown, deadline, aborted, internal, unavailable, data loss. */
const PASSING: ReadonlySet<number> = new Set([1, 2, 4, 10, 13, 14, 15]);
const UNAUTHENTICATED = 16;

/** Sorts failures; what is no {@link EtcdFailure} is a mistake of this program and `refused`. */
export function verdictOf(failure: unknown): Verdict {
  if (!isEtcdFailure(failure)) return 'refused';
  for (const [part, verdict] of MESSAGES) if (failure.message.includes(part)) return verdict;
  if (failure.code === UNAUTHENTICATED) return 'token';
  if (!PASSING.has(failure.code)) return 'refused';
  return failure.sent ? 'doubt' : 'away';
}

/** What etcd said, for the message of an error. */
export function reasonOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
