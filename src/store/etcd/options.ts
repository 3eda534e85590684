import { systemClock, type Clock } from '../../clock/clock.js';
import type { Observe } from '../../observe/observation.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import { httpUrl } from '../../options/http-url.js';
import {
  aFunction,
  aBoolean,
  aClock,
  aNonEmptyString,
  anObject,
  aString,
  aWholeNumber,
  mustBe,
  oneOf,
  required,
} from '../../options/rules.js';

/** TLS options for the connections to etcd. Values are PEM, not file names. */
export interface EtcdTlsOptions {
  /** The certificate authorities that the members' certificates are verified with. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | undefined;
  /** The certificate of this client. Requires `key`. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client's certificate. Requires `cert`. */
  readonly key?: string | Uint8Array | undefined;
  /** The host name in the members' certificates. Default: the host of the endpoint. */
  readonly serverName?: string | undefined;
}

/** Options of `etcdStore`. */
export interface EtcdStoreOptions {
  /**
   * The client URLs of the members, such as `http://host:2379`, all with `http` or all with `https`. List every member:
   * if one fails, the next is used.
   */
  readonly endpoints: readonly string[];
  /**
   * The prefix of the keys: `<prefix>/<namespace>/<name>` for events; the other keys of the store begin with
   * `<prefix>.`. It begins with a slash and does not end with one. Default: `/kube-vitals/events`.
   */
  readonly prefix?: string | undefined;
  /**
   * `grpc` requires the package `@grpc/grpc-js`; `gateway` uses the JSON gateway that each member serves on the same
   * port, and requires no package. There is no fallback from one to the other. Default: `grpc`.
   */
  readonly transport?: 'grpc' | 'gateway' | undefined;
  /** TLS options of the connections. Requires `https` endpoints. */
  readonly tls?: EtcdTlsOptions | undefined;
  /** The name of the etcd user, if authentication is enabled in etcd. Requires `password`. */
  readonly username?: string | undefined;
  /** The password of the etcd user. Requires `username`. */
  readonly password?: string | undefined;
  /** The timeout of one request to one member, in milliseconds; after it the next member is tried. Default: 1,000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * The timeout of an operation of the store, in milliseconds, including all attempts and the time to determine the
   * outcome of a write without a response. A request that reads and then writes has twice as long. Default: 4,500.
   */
  readonly operationTimeoutMs?: number | undefined;
  /**
   * How long a feed may receive no changes, in milliseconds, before it writes the key `<prefix>.tick` to advance its
   * position; at least 1,000. This keeps quiet watches from expiring when etcd is compacted, so it must be shorter than
   * the history that etcd keeps. Default: 30,000.
   */
  readonly progressMs?: number | undefined;
  /**
   * Whether this store compacts etcd: history older than `historyMs`, **of all keys of the cluster**. Enable it only if
   * nothing else compacts the cluster. Default: false.
   */
  readonly compactHistory?: boolean | undefined;
  /** How long history is kept with `compactHistory`, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * The approximate limit for history in bytes with `compactHistory`; above it, history younger than `historyMs` is
   * compacted as well. Measured as the growth of etcd's database by all its keys. Default: 268,435,456 (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /**
   * The HTTP URLs of the members, from which the store reads the time for timestamps and expiry. Set it if the members
   * serve only gRPC on `endpoints` (`--listen-client-http-urls` of etcd). With an empty list each replica uses its own
   * clock. Default: `endpoints`.
   */
  readonly timeEndpoints?: readonly string[] | undefined;
  /**
   * The maximum size of an event in bytes, at least 65,536; a larger one is `too-large`. etcd accepts requests of up to
   * 1.5 MiB unless `--max-request-bytes` is set. Default: 1,048,576 (1 MiB).
   */
  readonly maxEventBytes?: number | undefined;
  /** The name of the store and of its health check. Default: `etcd`. */
  readonly name?: string | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Receives the errors of `compactHistory`, which is tried again: it needs the role `root`. Default: they are process
   * warnings.
   */
  readonly observe?: Observe | undefined;
}

type Login = 'username' | 'password';

export type EtcdSettings = {
  readonly [Name in Exclude<keyof EtcdStoreOptions, Login | 'tls' | 'observe'>]-?: NonNullable<EtcdStoreOptions[Name]>;
} & { readonly tls: EtcdTlsOptions | undefined; readonly login: { readonly [Name in Login]: string } | undefined };

const isEndpoint = (value: unknown): value is string => {
  const url = httpUrl(value);
  return url?.pathname === '/' && url.username + url.password + url.search + url.hash === '';
};

const areEndpoints = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isEndpoint);

const aPem = /* @__PURE__ */ mustBe(
  (value) => typeof value === 'string' || value instanceof Uint8Array,
  'PEM, a string or bytes',
);

const rules = (): OptionRules<EtcdStoreOptions> => ({
  endpoints: required(
    mustBe(
      (value) => areEndpoints(value) && value.length > 0,
      'at least one URL such as http://10.0.0.1:2379, without a path',
    ),
  ),
  prefix: mustBe(
    (value) => typeof value === 'string' && /^\/[^\0]*[^/\0]$/.test(value),
    'a text that begins with a slash and does not end with one',
  ),
  transport: oneOf('grpc', 'gateway'),
  tls: anObject<EtcdTlsOptions>({ ca: aPem, cert: aPem, key: aPem, serverName: aNonEmptyString }, ({ cert, key }) => [
    (cert === undefined) !== (key === undefined) && 'tls.cert and tls.key go together: give both, or neither',
  ]),
  username: aString,
  password: aString,
  requestTimeoutMs: aWholeNumber(1),
  operationTimeoutMs: aWholeNumber(1),
  progressMs: aWholeNumber(1_000),
  compactHistory: aBoolean,
  historyMs: aWholeNumber(1),
  historyMaxBytes: aWholeNumber(1),
  timeEndpoints: mustBe(areEndpoints, 'URLs such as http://10.0.0.1:2379, without a path, or an empty list'),
  maxEventBytes: aWholeNumber(65_536),
  name: aNonEmptyString,
  clock: aClock,
  observe: aFunction,
});

/** @throws TypeError that lists every fault. */
export function etcdSettings(options: EtcdStoreOptions): EtcdSettings {
  checkOptions('etcdStore', options, rules(), ({ endpoints, tls, username, password }) => {
    const urls = areEndpoints(endpoints) ? endpoints : [];
    const secure = urls.filter((url) => new URL(url).protocol === 'https:').length;
    return [
      secure > 0 && secure < urls.length && 'endpoints must use https for all or for none',
      tls !== undefined && urls.length > 0 && secure < urls.length && 'tls needs https endpoints',
      (username === undefined) !== (password === undefined) &&
        'username and password go together: give both, or neither',
    ];
  });
  const { endpoints, timeEndpoints = endpoints, username, password } = options;
  return {
    endpoints: [...endpoints],
    prefix: options.prefix ?? '/kube-vitals/events',
    transport: options.transport ?? 'grpc',
    tls: options.tls,
    login: username === undefined || password === undefined ? undefined : { username, password },
    requestTimeoutMs: options.requestTimeoutMs ?? 1_000,
    operationTimeoutMs: options.operationTimeoutMs ?? 4_500,
    progressMs: options.progressMs ?? 30_000,
    compactHistory: options.compactHistory ?? false,
    historyMs: options.historyMs ?? 600_000,
    historyMaxBytes: options.historyMaxBytes ?? 268_435_456,
    maxEventBytes: options.maxEventBytes ?? 1_048_576,
    timeEndpoints: [...timeEndpoints],
    name: options.name ?? 'etcd',
    clock: options.clock ?? systemClock,
  };
}
