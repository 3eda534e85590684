import { join } from 'node:path';
import { parseGoDuration } from '../../http/go-duration.js';
import { LIMIT_DEFINITIONS, limitOptions, type LimitOptions } from './limit-flags.js';
import { parseStoreUrl, sqliteAt, withoutSecrets, type StoreChoice } from '../store-url.js';

/** What the command line says, defaults in place. */
export interface Flags {
  readonly livezGracePeriodMs: number;
  readonly shutdownDelayMs: number;
  readonly bindAddress: string;
  /** 0: any free port. */
  readonly securePort: number;
  /** 0: any free port. `off`: none. */
  readonly insecurePort: number | 'off';
  /** Whether the HTTP port takes tokens where it is not on loopback. */
  readonly credentialsInTheClear: boolean;
  /** At once, on each of the two ports. */
  readonly maxConnections: number;
  readonly maxBodyBytes: number;
  readonly certDir: string;
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly tokenAuthFile: string | undefined;
  readonly authorizationMode: 'AlwaysAllow' | 'ABAC';
  readonly authorizationPolicyFile: string | undefined;
  readonly anonymousAuth: boolean;
  readonly eventTtlMs: number;
  readonly apiDomain: string;
  readonly coreV1Events: boolean;
  readonly managedFields: boolean;
  readonly dataDir: string;
  readonly store: StoreChoice;
  readonly limits: LimitOptions;
}

/** What to do with a command line. */
export type CommandLine = { readonly flags: Flags } | { readonly help: string } | { readonly error: string };

interface Definition {
  readonly name: string;
  /** How the value is called in the help; absent for booleans. */
  readonly value?: string;
  readonly fallback: string;
  /** Shown in place of the default. */
  readonly shownDefault?: string;
  readonly help: string;
  /** Reads the value, or throws an Error that says what is wrong with it. */
  readonly read: (text: string) => unknown;
  /** What an error message may repeat of the value. Default: all of it. */
  readonly quote?: (text: string) => string;
}

const MOST_BODY_BYTES = 3_145_728;

const DEFINITIONS = [
  {
    name: 'livez-grace-period',
    value: 'duration',
    fallback: '0s',
    help: 'How long /livez forgives a start-up that has not finished.',
    read: positiveDuration,
  },
  {
    name: 'shutdown-delay-duration',
    value: 'duration',
    fallback: '0s',
    help: 'How long everything is still served after SIGTERM, while /readyz already fails.',
    read: positiveDuration,
  },
  {
    name: 'bind-address',
    value: 'ip',
    fallback: '127.0.0.1',
    help: 'The address both ports listen on.',
    read: nonEmpty,
  },
  {
    name: 'secure-port',
    value: 'port',
    fallback: '6443',
    help: 'The HTTPS port. 0 takes any free one.',
    read: port,
  },
  {
    name: 'insecure-port',
    value: 'port',
    fallback: '8080',
    help: 'The HTTP port, for curl and load balancers. On loopback callers and rights are the same as on the HTTPS port; on any other --bind-address it serves /healthz, /livez and /readyz only and takes no token. 0 takes any free one, "off" opens none.',
    read: (text) => (text === 'off' ? 'off' : port(text)),
  },
  {
    name: 'insecure-port-accepts-credentials-in-the-clear',
    fallback: 'false',
    help: 'Serves everything on the HTTP port whatever the --bind-address, so that tokens and events pass the network unencrypted, for everybody on the way to read and use.',
    read: boolean,
  },
  {
    name: 'max-connections',
    value: 'count',
    fallback: '10000',
    help: 'How many connections may be open at once on each of the two ports, from 1. Further ones are closed at once.',
    read: count,
  },
  {
    name: 'max-body-bytes',
    value: 'bytes',
    fallback: '3145728',
    help: 'The largest request body, up to the 3 MiB that the original takes. 524288 is enough for any event, and the default of the library.',
    read: bodyBytes,
  },
  {
    name: 'cert-dir',
    value: 'dir',
    fallback: '',
    shownDefault: 'certs in --data-dir',
    help: 'Where the certificates made on first start are kept. Not used with --tls-cert-file.',
    read: optional,
  },
  {
    name: 'tls-cert-file',
    value: 'file',
    fallback: '',
    help: 'The certificate of the HTTPS port (PEM, with its chain). Default: one is made.',
    read: optional,
  },
  {
    name: 'tls-private-key-file',
    value: 'file',
    fallback: '',
    help: 'The key of --tls-cert-file (PEM).',
    read: optional,
  },
  {
    name: 'token-auth-file',
    value: 'file',
    fallback: '',
    help: 'Bearer tokens, one a line: token,user,uid,"group,group". The admin token in --data-dir stays valid.',
    read: optional,
  },
  {
    name: 'authorization-mode',
    value: 'mode',
    fallback: 'AlwaysAllow',
    help: 'AlwaysAllow: authenticated callers may do everything, anonymous ones may GET /healthz, /livez, /readyz and /version. ABAC: what --authorization-policy-file allows. Group system:masters may do everything.',
    read: oneOf('AlwaysAllow', 'ABAC'),
  },
  {
    name: 'authorization-policy-file',
    value: 'file',
    fallback: '',
    help: 'Policies for ABAC, one JSON object a line (abac.authorization.kubernetes.io/v1beta1 Policy).',
    read: optional,
  },
  {
    name: 'anonymous-auth',
    fallback: 'true',
    help: 'Takes requests without a credential as system:anonymous; with false they get 401.',
    read: boolean,
  },
  { name: 'event-ttl', value: 'duration', fallback: '1h0m0s', help: 'How long an event is kept.', read: timeToLive },
  {
    name: 'api-domain',
    value: 'domain',
    fallback: 'example.com',
    help: 'The API group is events.<domain>.',
    read: domain,
  },
  {
    name: 'core-v1-events',
    fallback: 'true',
    help: 'Serves the same events as core v1 at /api/v1 too: kubectl events and kubectl describe read only those.',
    read: boolean,
  },
  {
    name: 'managed-fields',
    fallback: 'true',
    help: 'Records in metadata.managedFields who manages which field.',
    read: boolean,
  },
  {
    name: 'data-dir',
    value: 'dir',
    fallback: './kube-vitals-data',
    help: 'Where the admin token, the kubeconfig, the certificates and, by default, the events are kept.',
    read: nonEmpty,
  },
  {
    name: 'store',
    value: 'store',
    fallback: '',
    shownDefault: 'sqlite:events.db in --data-dir',
    help: 'Where events are kept. memory: in this process, gone when it ends. sqlite:PATH: in a file. postgres://USER:PASSWORD@HOST:PORT/DATABASE, with ?schema=NAME and parameters of the driver; without a password PGPASSWORD is asked. etcd://HOST:PORT,HOST:PORT/PREFIX, also with USER:PASSWORD@; etcds:// speaks TLS, with ?ca=FILE&cert=FILE&key=FILE. All servers on one PostgreSQL or etcd serve the same events.',
    read: (text) => (text === '' ? undefined : parseStoreUrl(text)),
    quote: withoutSecrets,
  },
  ...LIMIT_DEFINITIONS,
] as const satisfies readonly Definition[];

type FlagName = (typeof DEFINITIONS)[number]['name'];

/** Reads the command line as the original's flags are read: `--flag value`, `--flag=value`, booleans also alone. */
export function parseFlags(argv: readonly string[]): CommandLine {
  const texts = new Map<string, string>(DEFINITIONS.map(({ name, fallback }) => [name, fallback]));
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--help' || argument === '-h') return { help: helpText() };
    if (!argument.startsWith('--') || argument === '--')
      return { error: `unexpected argument ${JSON.stringify(argument)}` };
    const equals = argument.indexOf('=');
    const name = equals < 0 ? argument.slice(2) : argument.slice(2, equals);
    const definition: Definition | undefined = DEFINITIONS.find((one) => one.name === name);
    if (definition === undefined) return { error: `unknown flag: --${name}` };
    const text = equals >= 0 ? argument.slice(equals + 1) : definition.value === undefined ? 'true' : rest.shift();
    if (text === undefined) return { error: `flag needs an argument: --${name}` };
    texts.set(name, text);
  }

  const values = new Map<string, unknown>();
  for (const { name, read, quote = (text: string) => text } of DEFINITIONS as readonly Definition[]) {
    const text = texts.get(name) ?? '';
    try {
      values.set(name, read(text));
    } catch (error) {
      return {
        error: `invalid argument ${JSON.stringify(quote(text))} for "--${name}" flag: ${(error as Error).message}`,
      };
    }
  }
  const flags = flagsOf(<T>(name: FlagName) => values.get(name) as T);
  const error = contradiction(flags);
  return error === undefined ? { flags } : { error };
}

function flagsOf(value: <T>(name: FlagName) => T): Flags {
  const dataDir = value<string>('data-dir');
  return {
    livezGracePeriodMs: value('livez-grace-period'),
    shutdownDelayMs: value('shutdown-delay-duration'),
    bindAddress: value('bind-address'),
    securePort: value('secure-port'),
    insecurePort: value('insecure-port'),
    credentialsInTheClear: value('insecure-port-accepts-credentials-in-the-clear'),
    maxConnections: value('max-connections'),
    maxBodyBytes: value('max-body-bytes'),
    certDir: value<string | undefined>('cert-dir') ?? join(dataDir, 'certs'),
    tlsCertFile: value('tls-cert-file'),
    tlsPrivateKeyFile: value('tls-private-key-file'),
    tokenAuthFile: value('token-auth-file'),
    authorizationMode: value('authorization-mode'),
    authorizationPolicyFile: value('authorization-policy-file'),
    anonymousAuth: value('anonymous-auth'),
    eventTtlMs: value('event-ttl'),
    apiDomain: value('api-domain'),
    coreV1Events: value('core-v1-events'),
    managedFields: value('managed-fields'),
    dataDir,
    store: value<StoreChoice | undefined>('store') ?? sqliteAt(join(dataDir, 'events.db')),
    limits: limitOptions(value),
  };
}

function contradiction(flags: Flags): string | undefined {
  if ((flags.tlsCertFile === undefined) !== (flags.tlsPrivateKeyFile === undefined)) {
    return '--tls-cert-file and --tls-private-key-file go together: give both, or neither';
  }
  if ((flags.authorizationMode === 'ABAC') !== (flags.authorizationPolicyFile !== undefined)) {
    return '--authorization-mode=ABAC and --authorization-policy-file go together: give both, or neither';
  }
  return undefined;
}

function duration(text: string): number {
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.ms;
}

function positiveDuration(text: string): number {
  const ms = duration(text);
  if (ms < 0 || ms > 86_400_000) throw new Error('must be from 0s to 24h');
  return ms;
}

function timeToLive(text: string): number {
  const ms = duration(text);
  if (ms < 1000) throw new Error('must be at least 1s');
  return ms;
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('must be a port, from 0 to 65535');
  return Number(text);
}

function bodyBytes(text: string): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > MOST_BODY_BYTES) {
    throw new Error(`must be from 1 to ${MOST_BODY_BYTES}`);
  }
  return Number(text);
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw new Error('must be a whole number from 1');
  return Number(text);
}

function boolean(text: string): boolean {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text)) return false;
  throw new Error('must be true or false');
}

function domain(text: string): string {
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  // The group is `events.` in front of it, and at most 253 characters.
  if (text.length > 246 || !new RegExp(`^${label}(\\.${label})*$`).test(text)) {
    throw new Error('must be a lower-case DNS name such as example.com');
  }
  return text;
}

function nonEmpty(text: string): string {
  if (text === '') throw new Error('must not be empty');
  return text;
}

function optional(text: string): string | undefined {
  return text === '' ? undefined : text;
}

function oneOf(...values: readonly string[]): (text: string) => string {
  return (text) => {
    if (values.includes(text)) return text;
    throw new Error(`must be ${values.join(' or ')}`);
  };
}

function helpText(): string {
  const lines = DEFINITIONS.map(({ name, fallback, help, ...more }: Definition) => {
    const shown = more.shownDefault ?? fallback;
    const head = more.value === undefined ? `--${name}[=true|false]` : `--${name} ${more.value}`;
    return `  ${head}\n      ${help}${shown === '' ? '' : ` (default ${shown})`}\n`;
  });
  return [
    'A Kubernetes-style API server with health endpoints and Events.',
    '',
    'Usage: npm start -- [flags]',
    '',
    'Durations are Go durations: 500ms, 90s, 1h30m.',
    '',
    ...lines,
    '  --help\n      Prints this.\n',
  ].join('\n');
}
