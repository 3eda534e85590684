import { member } from '../../../json/json-tree.js';
import { systemClock, type Clock } from '../../../clock/clock.js';
import { toBase64 } from '../../../http/bytes.js';
import type { Caller } from '../../../model/caller.js';
import { checkOptions } from '../../../options/check-options.js';
import type { ConnectedTransport } from '../../contract/transport.js';
import { createCredentials, impersonationHeaders } from '../http/credentials.js';
import { createSender } from '../http/http-transport.js';
import { aProxy, aServer, fitsHeader, isPem, type TlsOptions } from '../http/options.js';
import { constant, fileSource, tlsSource, type Source } from '../http/sources.js';
import { createExecSource, type ClusterInfo, type ExecSource } from './exec-plugin.js';
import { defaultPaths, loadFiles, loadText, type Kubeconfig } from './load-kubeconfig.js';
import { kubeconfigRules, type KubeconfigTransportOptions } from './options.js';
import { dataOf, entriesOf, entryOf, flagOf, kubeconfigFault, textOf, textsOf, type Entry } from './read-values.js';

/**
 * The transport that a kubeconfig describes, as kubectl reads it: contexts, certificates in it and in files, tokens,
 * token files, user names with passwords, programs that return credentials (`exec`), impersonation and proxies. Files
 * are read again when they change; the kubeconfig itself is not. **A kubeconfig may name programs, which are run: use
 * only one that is trusted**, or set `execPlugins: false`.
 *
 * @throws TypeError (as a rejection) that lists every fault of the options
 * @throws Error for a kubeconfig that cannot be used; no secret is in its text
 */
export async function kubeconfigTransport(options: KubeconfigTransportOptions = {}): Promise<ConnectedTransport> {
  checkOptions('kubeconfigTransport', options, kubeconfigRules(), ({ path, text }) => [
    path !== undefined && text !== undefined && 'path and text exclude each other',
  ]);
  const { path, text } = options;
  if (text !== undefined) return transportOf(await loadText(text), options);
  const paths = path === undefined ? await defaultPaths() : [path];
  const config = await loadFiles(paths);
  if (config !== undefined) return transportOf(config, options);
  throw kubeconfigFault(path === undefined ? `there is none: no file ${paths.join(', ')}` : `there is no file ${path}`);
}

export async function transportOf(
  config: Kubeconfig,
  options: KubeconfigTransportOptions,
): Promise<ConnectedTransport> {
  const clock = options.clock ?? systemClock;
  const name = options.context ?? config.currentContext;
  if (name === undefined) throw kubeconfigFault('there is no current-context: name one with the option context');
  const context = config.contexts.get(name);
  if (context === undefined) throw kubeconfigFault(`there is no context ${JSON.stringify(name)}`);
  const cluster = config.clusters.get(textOf(context, 'cluster') ?? '');
  if (cluster === undefined) throw kubeconfigFault(`${context.what}: its cluster is missing`);
  const userName = textOf(context, 'user');
  const named = userName === undefined ? undefined : config.users.get(userName);
  if (userName !== undefined && named === undefined) throw kubeconfigFault(`${context.what}: its user is missing`);

  const server = serverOf(cluster);
  const proxyUrl = textOf(cluster, 'proxy-url');
  const [fault] = [...aServer(server, 'server'), ...aProxy(proxyUrl, 'proxy-url')];
  if (fault !== undefined) throw kubeconfigFault(`${cluster.what}: ${fault}`);
  // As kubectl does: over plain HTTP anybody on the way could read the credentials. Impersonation is no secret, and
  // without it a request would have the rights of whoever forwards it.
  const user = new URL(server).protocol === 'https:' ? named : undefined;
  const ca = await sourceOf(cluster, 'certificate-authority', clock);
  const insecureSkipTlsVerify = flagOf(cluster, 'insecure-skip-tls-verify');
  if (insecureSkipTlsVerify && ca !== undefined) {
    throw kubeconfigFault(`${cluster.what}: insecure-skip-tls-verify and certificate-authority exclude each other`);
  }
  const serverName = textOf(cluster, 'tls-server-name');
  const cert = user && (await sourceOf(user, 'client-certificate', clock));
  const key = user && (await sourceOf(user, 'client-key', clock));
  if ((cert === undefined) !== (key === undefined)) {
    throw kubeconfigFault(`${user?.what}: client-certificate and client-key belong together`);
  }
  const tls = tlsSource({ ca, cert, key }, { serverName, insecureSkipTlsVerify });
  const fixed = user && (await credentialsOf(user, clock));
  // As in client-go, the program is for users who have no other credentials.
  const exec =
    user && !fixed && !cert ? execOf(user, () => clusterInfoOf(cluster, server, ca), options, clock) : undefined;
  return createSender({
    ...options,
    server,
    proxyUrl,
    namespace: options.namespace ?? textOf(context, 'namespace'),
    headers: { ...options.headers, ...impersonationHeaders(named && impersonatedBy(named)) },
    credentials: fixed ?? constant(undefined),
    tls,
    ...(exec && fromProgram(exec, tls)),
  });
}

/** As in client-go, an address without a scheme means https if there is any TLS setting. */
function serverOf(cluster: Entry): string {
  const server = textOf(cluster, 'server');
  if (server === undefined) throw kubeconfigFault(`${cluster.what} has no server`);
  if (server.includes('://')) return server;
  const isTls = ['certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify'].some(
    (name) => member(cluster.values, name) !== undefined,
  );
  return `${isTls ? 'https' : 'http'}://${server}`;
}

/** A certificate or key: the text of `<name>-data`, else the file of `<name>`. */
async function sourceOf(entry: Entry, name: string, clock: Clock): Promise<Source<string> | undefined> {
  const data = dataOf(entry, `${name}-data`);
  if (data !== undefined) {
    if (!isPem(data)) throw kubeconfigFault(`${entry.what}: ${name}-data must have PEM in its base64`);
    return constant(data);
  }
  const path = textOf(entry, name);
  return path === undefined ? undefined : fileSource(await absolute(entry, path), `the ${name}`, clock, pemOf);
}

function pemOf(text: string): string {
  if (isPem(text)) return text;
  throw new Error('it has nothing in PEM');
}

async function absolute({ folder }: Entry, path: string): Promise<string> {
  const { resolve } = await import('node:path');
  return folder === undefined ? resolve(path) : resolve(folder, path);
}

/** Credentials that are written in a kubeconfig or in a file that it names; undefined where there are none. */
async function credentialsOf(user: Entry, clock: Clock): Promise<Source<string | undefined> | undefined> {
  const [file, token, username] = [textOf(user, 'tokenFile'), textOf(user, 'token'), textOf(user, 'username')];
  // As in client-go, the token counts while the file cannot be read.
  if (file !== undefined) return createCredentials({ tokenFile: await absolute(user, file), token }, clock);
  if (token !== undefined) return createCredentials({ token }, clock);
  if (username !== undefined) {
    return createCredentials({ basicAuth: { username, password: textOf(user, 'password') ?? '' } }, clock);
  }
  const provider = entryOf(user, 'auth-provider');
  if (provider === undefined) return undefined;
  throw kubeconfigFault(
    `${user.what}: the auth-provider ${JSON.stringify(textOf(provider, 'name') ?? '')} is of a kind that Kubernetes removed in 1.26; use an exec plugin`,
  );
}

function execOf(
  user: Entry,
  clusterInfo: ClusterInfo,
  { execPlugins = true, execTimeoutMs: timeoutMs = 60_000, onExecOutput: onOutput }: KubeconfigTransportOptions,
  clock: Clock,
): ExecSource | undefined {
  const exec = entryOf(user, 'exec');
  if (exec === undefined) return undefined;
  if (!execPlugins) throw kubeconfigFault(`${user.what} needs a program (exec), and execPlugins is false`);
  const passedInfo = flagOf(exec, 'provideClusterInfo') ? clusterInfo : undefined;
  return createExecSource(exec, passedInfo, { timeoutMs, onOutput, clock });
}

/** The parts of a transport whose credentials come from a program. */
const fromProgram = (exec: ExecSource, tls: Source<TlsOptions>) => ({
  credentials: { read: async () => (await exec.read()).authorization, expire: exec.expire },
  tls: {
    async read() {
      const [rest, { cert, key }] = await Promise.all([tls.read(), exec.read()]);
      return cert === undefined ? rest : { ...rest, cert, key };
    },
    expire: tls.expire,
  },
  onClose: exec.close,
});

/** The cluster as `ExecCredential` has it. */
async function clusterInfoOf(cluster: Entry, server: string, ca: Source<string> | undefined): ReturnType<ClusterInfo> {
  const extension = entriesOf(cluster, 'extensions').find(
    (entry) => textOf(entry, 'name') === 'client.authentication.k8s.io/exec',
  );
  const authority = await ca?.read();
  return {
    server,
    'tls-server-name': textOf(cluster, 'tls-server-name'),
    'insecure-skip-tls-verify': flagOf(cluster, 'insecure-skip-tls-verify') || undefined,
    'certificate-authority-data': authority && toBase64(new TextEncoder().encode(authority)),
    'proxy-url': textOf(cluster, 'proxy-url'),
    config: extension && member(extension.values, 'extension'),
  };
}

function impersonatedBy(user: Entry): (Pick<Caller, 'name'> & Partial<Caller>) | undefined {
  const [name, uid, groups] = [textOf(user, 'as'), textOf(user, 'as-uid'), textsOf(user, 'as-groups')];
  const extra = entryOf(user, 'as-user-extra');
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && extra === undefined) return undefined;
    throw kubeconfigFault(`${user.what}: as-uid, as-groups and as-user-extra need as`);
  }
  const extras = Object.keys(extra?.values ?? {}).map((key) => [key, textsOf(extra as Entry, key)] as const);
  if (![name, uid ?? '', ...groups, ...extras.flat(2)].every(fitsHeader)) {
    throw kubeconfigFault(`${user.what}: as, as-uid, as-groups and as-user-extra must have no control characters`);
  }
  return { name, uid, groups, extra: Object.fromEntries(extras) };
}
