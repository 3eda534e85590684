import { systemClock, type Clock } from '../../clock/clock.js';

/** TLS towards etcd. Values are PEM, not file names. */
export interface EtcdTlsOptions {
  /** Who may have signed the members' certificates. Default: the certificates that Node trusts. */
  readonly ca?: string | Uint8Array | undefined;
  /** The certificate of this client, with `key`. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  /** The name that the members' certificates are for, where it is not the host of the endpoint. */
  readonly serverName?: string | undefined;
}

/** For `etcdStore`. */
export interface EtcdStoreOptions {
  /** The client URLs of the members, `http://host:2379` or `https://host:2379`. Give all: one that fails is left for the next. */
  readonly endpoints: readonly string[];
  /**
   * Where the events are: `<prefix>/<namespace>/<name>`. What the store needs besides is in keys that begin with
   * `<prefix>.`. Default: `/kube-vitals/events`.
   */
  readonly prefix?: string | undefined;
  /**
   * `grpc` (default) needs the package `@grpc/grpc-js`; `gateway` is the JSON gateway that each member has on the same
   * port, and needs nothing. Neither is replaced by the other silently.
   */
  readonly transport?: 'grpc' | 'gateway' | undefined;
  /** Only with `https` endpoints. */
  readonly tls?: EtcdTlsOptions | undefined;
  /** With `password`, where etcd has authentication on. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** How long one attempt on one member may take, in milliseconds. Default: 1,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** How long an operation may take with all its attempts, in milliseconds. Default: 5,000. */
  readonly operationTimeoutMs?: number | undefined;
  /**
   * After how much silence a feed proves that it has missed nothing, in milliseconds: it writes the one key
   * `<prefix>.tick`. What it proves keeps a quiet watch from expiring when etcd is compacted. Default: 30,000.
   */
  readonly progressMs?: number | undefined;
  /**
   * Whether this store compacts etcd: everything older than `historyMs`, **of all keys of the cluster**. Default: false;
   * a shared cluster is compacted by its operators.
   */
  readonly compactHistory?: boolean | undefined;
  /** How long history is kept where `compactHistory` is on, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * What history may cost in bytes where `compactHistory` is on, before younger history is compacted as well. Roughly: it
   * is what the database of etcd grew by, with everything else that is in it. Default: 268,435,456 (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /**
   * Where the members answer HTTP, if they answer only gRPC on `endpoints` (`--listen-client-http-urls` of etcd). The time
   * that stamps and expiry go by is read there, so that no replica expires by a clock of its own. An empty list: each
   * replica goes by its own. Default: `endpoints`.
   */
  readonly timeEndpoints?: readonly string[] | undefined;
  /** The largest event, in bytes; a larger one is `too-large`. Default: 1,048,576, and etcd takes 1.5 MiB by default. */
  readonly maxEventBytes?: number | undefined;
  /** Also the name of the store's health check. Default: `etcd`. */
  readonly name?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Checked options, with every default filled in. */
export interface EtcdSettings {
  readonly endpoints: readonly string[];
  readonly prefix: string;
  readonly transport: 'grpc' | 'gateway';
  readonly tls: EtcdTlsOptions | undefined;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly requestTimeoutMs: number;
  readonly operationTimeoutMs: number;
  readonly progressMs: number;
  readonly compactHistory: boolean;
  readonly historyMs: number;
  readonly historyMaxBytes: number;
  readonly timeEndpoints: readonly string[];
  readonly maxEventBytes: number;
  readonly name: string;
  readonly clock: Clock;
}

type NumberKey =
  'requestTimeoutMs' | 'operationTimeoutMs' | 'progressMs' | 'historyMs' | 'historyMaxBytes' | 'maxEventBytes';

const NUMBERS: Readonly<Record<NumberKey, readonly [least: number, standard: number]>> = {
  requestTimeoutMs: [1, 1_000],
  operationTimeoutMs: [1, 5_000],
  progressMs: [1_000, 30_000],
  historyMs: [1, 600_000],
  historyMaxBytes: [1, 268_435_456],
  maxEventBytes: [65_536, 1_048_576],
};

function endpointFault(endpoint: unknown): boolean {
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return true;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(endpoint);
  const plain = username === '' && password === '' && (pathname === '' || pathname === '/') && search + hash === '';
  return !plain || hostname === '' || !(protocol === 'http:' || protocol === 'https:');
}

/** @throws TypeError that lists every fault. */
export function etcdSettings(options: EtcdStoreOptions): EtcdSettings {
  const faults: string[] = [];
  const { endpoints, prefix = '/kube-vitals/events', transport = 'grpc', tls, username, password } = options;
  const { name = 'etcd', clock = systemClock, compactHistory = false } = options;

  const number = (key: NumberKey): number => {
    const [least, standard] = NUMBERS[key];
    const value = options[key] ?? standard;
    if (!(Number.isSafeInteger(value) && value >= least)) {
      faults.push(`${key}: give a whole number of at least ${least}`);
    }
    return value;
  };
  const numbers = {
    requestTimeoutMs: number('requestTimeoutMs'),
    operationTimeoutMs: number('operationTimeoutMs'),
    progressMs: number('progressMs'),
    historyMs: number('historyMs'),
    historyMaxBytes: number('historyMaxBytes'),
    maxEventBytes: number('maxEventBytes'),
  };
  const given: readonly unknown[] = Array.isArray(endpoints) ? endpoints : [];
  const usable = given.length > 0 && !given.some(endpointFault);
  const isSecure = (endpoint: string): boolean => new URL(endpoint).protocol === 'https:';
  if (!usable) faults.push('endpoints: give at least one URL such as http://10.0.0.1:2379, without a path');
  const secure = usable && endpoints.every(isSecure);
  if (usable && !secure && endpoints.some(isSecure)) {
    faults.push('endpoints: use https for all or for none');
  }
  const { timeEndpoints = usable ? endpoints : [] } = options;
  const times: readonly unknown[] | undefined = Array.isArray(timeEndpoints) ? timeEndpoints : undefined;
  if (times === undefined || times.some(endpointFault)) {
    faults.push('timeEndpoints: give URLs such as http://10.0.0.1:2379, without a path, or an empty list');
  }
  if (typeof prefix !== 'string' || !/^\/[^\0]*[^/\0]$/.test(prefix)) {
    faults.push('prefix: begin with a slash and do not end with one');
  }
  if (transport !== 'grpc' && transport !== 'gateway') faults.push("transport: give 'grpc' or 'gateway'");
  if (tls !== undefined && usable && !secure) faults.push('tls: give https endpoints as well');
  if ((tls?.cert === undefined) !== (tls?.key === undefined)) faults.push('tls: give cert and key together');
  if ((username === undefined) !== (password === undefined))
    faults.push('username: give username and password together');
  if (typeof compactHistory !== 'boolean') faults.push('compactHistory: give true or false');
  if (typeof name !== 'string' || name === '') faults.push('name: give a text that is not empty');
  if (faults.length > 0) throw new TypeError(`etcdStore: ${faults.join('; ')}`);
  return {
    endpoints: [...endpoints],
    prefix,
    transport,
    tls,
    login: username === undefined || password === undefined ? undefined : { username, password },
    ...numbers,
    compactHistory,
    timeEndpoints: [...timeEndpoints],
    name,
    clock,
  };
}
