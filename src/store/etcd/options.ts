import { systemClock, type Clock } from '../../clock/clock.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import {
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
  /** The authorities that may have signed the members' certificates. Default: the certificates that Node trusts. */
  readonly ca?: string | Uint8Array | undefined;
  /** The certificate of this client, with `key`. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client's certificate, PEM. */
  readonly key?: string | Uint8Array | undefined;
  /** The name that the members' certificates are for, where it is not the host of the endpoint. */
  readonly serverName?: string | undefined;
}

/** For `etcdStore`. */
export interface EtcdStoreOptions {
  /**
   * The client URLs of the members, `http://host:2379` or `https://host:2379`. Give all of them: if one fails, the next
   * is used.
   */
  readonly endpoints: readonly string[];
  /**
   * Where the events are: `<prefix>/<namespace>/<name>`. The other keys of the store begin with `<prefix>.`. Default:
   * `/kube-vitals/events`.
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
  /** The password that goes with the user name. */
  readonly password?: string | undefined;
  /** How long one attempt on one member may take, in milliseconds. Default: 1,000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * How long an operation may take, in milliseconds, including all attempts, and the time to determine the outcome of a
   * write that was lost. A request that reads and then writes has twice as long. Default: 4,500.
   */
  readonly operationTimeoutMs?: number | undefined;
  /**
   * After how much silence a feed proves that it has missed nothing, in milliseconds: it writes the one key
   * `<prefix>.tick`. What it proves keeps a quiet watch from expiring when etcd is compacted. Default: 30,000.
   */
  readonly progressMs?: number | undefined;
  /**
   * Whether this store compacts etcd: everything older than `historyMs`, **of all keys of the cluster**. Default:
   * false; a shared cluster is compacted by its operators.
   */
  readonly compactHistory?: boolean | undefined;
  /** How long history is kept where `compactHistory` is on, in milliseconds. Default: 600,000 (10 minutes). */
  readonly historyMs?: number | undefined;
  /**
   * What history may cost in bytes where `compactHistory` is on, before younger history is compacted as well. Roughly:
   * it is what the database of etcd grew by, with everything else that is in it. Default: 268,435,456 (256 MiB).
   */
  readonly historyMaxBytes?: number | undefined;
  /**
   * Where the members answer HTTP, if they answer only gRPC on `endpoints` (`--listen-client-http-urls` of etcd). The
   * time for stamps and expiry is read there, so that no replica expires events by a clock of its own. An empty list:
   * each replica uses its own clock. Default: `endpoints`.
   */
  readonly timeEndpoints?: readonly string[] | undefined;
  /**
   * The largest event, in bytes; a larger one is `too-large`. Default: 1,048,576, and etcd takes 1.5 MiB by default.
   */
  readonly maxEventBytes?: number | undefined;
  /** The name of the store and of its health check. Default: `etcd`. */
  readonly name?: string | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

type Login = 'username' | 'password';

/** Checked options, with every default filled in. */
export type EtcdSettings = {
  readonly [Name in Exclude<keyof EtcdStoreOptions, Login | 'tls'>]-?: NonNullable<EtcdStoreOptions[Name]>;
} & { readonly tls: EtcdTlsOptions | undefined; readonly login: { readonly [Name in Login]: string } | undefined };

const isEndpoint = (value: unknown): value is string => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value);
  const plain = username === '' && password === '' && (pathname === '' || pathname === '/') && search + hash === '';
  return plain && hostname !== '' && (protocol === 'http:' || protocol === 'https:');
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
