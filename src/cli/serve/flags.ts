import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { isApiDomain } from '../../api/validation/name-forms.js';
import { durationWithin, wholeNumberWithin, oneOf, readNonEmpty } from '../command-line/parse-command-line.js';
import type { FlagTable } from '../command-line/parse-command-line.js';
import { isLocal, parseStoreUrl, withoutSecrets, type StoreChoice } from '../stores/store-url.js';
import { limitFlags, limitOptions, type LimitFlags, type LimitOptions } from './limit-flags.js';

/** The values of the flags, durations in milliseconds. */
export interface ServeFlags extends LimitFlags {
  readonly livezGracePeriod: number;
  readonly shutdownDelayDuration: number;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly insecurePort: number | 'off';
  readonly insecurePortAcceptsCredentialsInTheClear: boolean;
  readonly maxConnections: number;
  readonly maxBodyBytes: number;
  readonly certDir: string | undefined;
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly tokenAuthFile: string | undefined;
  readonly authorizationMode: 'AlwaysAllow' | 'ABAC';
  readonly authorizationPolicyFile: string | undefined;
  readonly anonymousAuth: boolean;
  readonly eventTtl: number;
  readonly apiDomain: string;
  readonly coreV1Events: boolean;
  readonly managedFields: boolean;
  readonly dataDir: string;
  readonly store: StoreChoice | undefined;
  readonly workers: number;
  readonly watchCache: boolean;
  readonly metrics: boolean;
  readonly exampleDependency: boolean;
}

const MAX_BODY_BYTES = 3_145_728;
/** More than the cores of any machine; limits what a typing error can start. */
const MAX_WORKERS = 128;
const aPort = wholeNumberWithin(0, 65_535, 'a port, from 0 to 65535');
const aDelay = durationWithin(0, 86_400_000, 'from 0s to 24h');

export const serveFlags: FlagTable<ServeFlags> = {
  'livez-grace-period': {
    value: 'duration',
    fallback: '0s',
    help: 'How long /livez ignores a start-up that has not finished.',
    read: aDelay,
  },
  'shutdown-delay-duration': {
    value: 'duration',
    fallback: '0s',
    help: 'How long everything is still served after SIGTERM, while /readyz already fails.',
    read: aDelay,
  },
  'bind-address': { value: 'ip', fallback: '127.0.0.1', help: 'The address both ports listen on.', read: address },
  'secure-port': { value: 'port', fallback: '6443', help: 'The HTTPS port. 0 takes any free one.', read: aPort },
  'insecure-port': {
    value: 'port',
    fallback: '8080',
    help: 'The HTTP port, for curl and load balancers. On loopback, callers and permissions are the same as on the HTTPS port; on any other --bind-address it serves /healthz, /livez and /readyz only and accepts no token. 0 takes any free one, "off" opens none.',
    read: (text) => (text === 'off' ? 'off' : aPort(text)),
  },
  'insecure-port-accepts-credentials-in-the-clear': {
    help: 'Serves everything on the HTTP port whatever the --bind-address, so that tokens and events cross the network unencrypted, where others can read and use them.',
  },
  'max-connections': {
    value: 'count',
    fallback: '10000',
    help: 'How many connections may be open at once on each of the two ports, at least 1. Further ones are closed at once.',
    read: wholeNumberWithin(1, 999_999_999),
  },
  'max-body-bytes': {
    value: 'bytes',
    fallback: '3145728',
    help: 'The largest request body, up to the 3 MiB that kube-apiserver takes. 524288 is enough for any event, and the default of the library.',
    read: wholeNumberWithin(1, MAX_BODY_BYTES, `from 1 to ${MAX_BODY_BYTES}`),
  },
  'cert-dir': {
    value: 'dir',
    shownDefault: 'certs in --data-dir',
    help: 'Where the certificates created on first start are kept. Not used with --tls-cert-file.',
  },
  'tls-cert-file': {
    value: 'file',
    help: 'The certificate of the HTTPS port (PEM, with its chain). A replaced file is used without a restart. By default one is created.',
  },
  'tls-private-key-file': { value: 'file', help: 'The key of --tls-cert-file (PEM).' },
  'token-auth-file': {
    value: 'file',
    help: 'Bearer tokens, one per line: token,user,uid,"group,group". The admin token in --data-dir stays valid.',
  },
  'authorization-mode': {
    value: 'mode',
    fallback: 'AlwaysAllow',
    help: 'AlwaysAllow: authenticated callers may do everything, anonymous ones may GET /healthz, /livez, /readyz and /version. ABAC: what --authorization-policy-file allows. Group system:masters may do everything.',
    read: oneOf('AlwaysAllow', 'ABAC'),
  },
  'authorization-policy-file': {
    value: 'file',
    help: 'Policies for ABAC, one JSON object per line (abac.authorization.kubernetes.io/v1beta1 Policy).',
  },
  'anonymous-auth': {
    fallback: 'true',
    help: 'Treats requests without a credential as system:anonymous; with false they get 401.',
  },
  'event-ttl': {
    value: 'duration',
    fallback: '1h0m0s',
    help: 'How long an event is kept.',
    read: durationWithin(1000, Infinity, 'at least 1s'),
  },
  'api-domain': { value: 'domain', fallback: 'example.com', help: 'The API group is events.<domain>.', read: domain },
  'core-v1-events': {
    fallback: 'true',
    help: 'Serves the same events as core v1 at /api/v1 too: kubectl events and kubectl describe read only those.',
  },
  'managed-fields': { fallback: 'true', help: 'Records in metadata.managedFields who manages which field.' },
  'data-dir': {
    value: 'dir',
    fallback: './kube-vitals-data',
    help: 'Where the admin token, the kubeconfig, the certificates and, by default, the events are kept.',
    read: readNonEmpty,
  },
  store: {
    value: 'store',
    shownDefault: 'sqlite:events.db in --data-dir; memory where this Node has no driver for SQLite',
    help: 'Where events are kept. memory: in this process, lost when it ends. sqlite:PATH: in a file. postgres://USER:PASSWORD@HOST:PORT/DATABASE, with ?schema=NAME and parameters of the driver; without a password PGPASSWORD is used. etcd://HOST:PORT,HOST:PORT/PREFIX, also with USER:PASSWORD@; etcds:// uses TLS, with ?ca=FILE&cert=FILE&key=FILE. All servers on one PostgreSQL or etcd serve the same events.',
    read: (text) => (text === '' ? undefined : parseStoreUrl(text)),
    quote: withoutSecrets,
  },
  'watch-cache': {
    fallback: 'true',
    help: 'Also keeps the events and their latest changes in memory, up to half of the heap that Node may use and a quarter of the memory of its container. Reads are then as fast as with the memory store, and as up to date as those of the store itself. Has no effect with --store=memory.',
  },
  workers: {
    value: 'count',
    fallback: '1',
    help: 'How many processes serve on the same ports, up to 128, each with a watch cache and limits of its own. More than one needs a store that processes can share, PostgreSQL or etcd, and one more process, which restarts those that end.',
    read: wholeNumberWithin(1, MAX_WORKERS),
  },
  ...limitFlags,
  metrics: {
    fallback: 'true',
    help: 'Serves /metrics and /metrics/slis in the format of Prometheus, to callers who may get these paths.',
  },
  'example-dependency': {
    help: 'Adds a check that pretends to fail for the last 15 seconds of every minute, to see what a failing check looks like.',
  },
};

export interface Flags extends Omit<ServeFlags, 'certDir' | 'limits'> {
  readonly certDir: string;
  readonly limits: LimitOptions;
}

/** Completes the values of the flags. @throws Error for values that contradict one another */
export function completeFlags(values: ServeFlags): Flags {
  const { dataDir, tlsCertFile, tlsPrivateKeyFile, authorizationMode, authorizationPolicyFile, workers, store } =
    values;
  if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined)) {
    throw new Error('--tls-cert-file and --tls-private-key-file go together: give both, or neither');
  }
  if ((authorizationMode === 'ABAC') !== (authorizationPolicyFile !== undefined)) {
    throw new Error('--authorization-mode=ABAC and --authorization-policy-file go together: give both, or neither');
  }
  if (workers > 1 && (store === undefined || isLocal(store))) {
    throw new Error(
      `--workers=${workers} needs a store that processes can share: give --store=postgres://… or --store=etcd://…, since memory and SQLite belong to one process`,
    );
  }
  return { ...values, certDir: values.certDir ?? join(dataDir, 'certs'), limits: limitOptions(values) };
}

/** As URLs and certificates contain it: `::1` for `0:0:0:0:0:0:0:1`, `127.0.0.1` for `127.1`. */
function address(text: string): string {
  const isAddress = isIPv6(text);
  const url = `http://${isAddress ? `[${text}]` : text}`;
  if (!(isAddress || /^[\w.-]+$/.test(readNonEmpty(text))) || !URL.canParse(url)) {
    throw new Error('must be an IP address such as 127.0.0.1 or ::1, without brackets, port or zone');
  }
  return new URL(url).hostname.replace(/[[\]]/g, '');
}

function domain(text: string): string {
  if (!isApiDomain(text)) throw new Error('must be a lower-case DNS name such as example.com');
  return text;
}
