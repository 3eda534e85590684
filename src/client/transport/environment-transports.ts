import { systemClock, type Clock } from '../../clock/clock.js';
import { messageOf } from '../../model/error-message.js';
import { warn } from '../../observe/warnings.js';
import { checkOptions } from '../../options/check-options.js';
import { aNonEmptyString } from '../../options/rules.js';
import type { ConnectedTransport } from '../contract/transport.js';
import { createCredentials } from './http/credentials.js';
import { createSender } from './http/http-transport.js';
import { connectionRules } from './http/options.js';
import { fileSource, tlsSource, type Source } from './http/sources.js';
import { transportOf } from './kubeconfig/kubeconfig-transport.js';
import { defaultPaths, loadFiles } from './kubeconfig/load-kubeconfig.js';
import { kubeconfigRules, type DefaultTransportOptions, type InClusterTransportOptions } from './kubeconfig/options.js';
import { kubeconfigFault } from './kubeconfig/read-values.js';

const DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The transport of a pod to the kube-apiserver of its cluster, with the token of its service account. The files of
 * token and authority are read again, since Kubernetes replaces them. Where there is no authority, those of the system
 * are trusted, with a warning, as in client-go.
 *
 * @throws TypeError (as a rejection) that lists every fault of the options
 * @throws Error outside of a cluster
 */
export async function inClusterTransport(options: InClusterTransportOptions = {}): Promise<ConnectedTransport> {
  checkOptions('inClusterTransport', options, { ...connectionRules(), directory: aNonEmptyString });
  const made = await podTransport(options);
  if (made !== undefined) return made;
  throw new Error('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
}

/**
 * The transport that kubectl would use here: of the kubeconfig (`$KUBECONFIG`, else `~/.kube/config`) where there is
 * one, else of the pod this runs in.
 *
 * @throws TypeError (as a rejection) that lists every fault of the options
 * @throws Error where there is neither
 */
export async function defaultTransport(options: DefaultTransportOptions = {}): Promise<ConnectedTransport> {
  const { path: _path, text: _text, ...rules } = kubeconfigRules();
  checkOptions<DefaultTransportOptions>('defaultTransport', options, rules);
  const paths = await defaultPaths();
  const config = await loadFiles(paths);
  // As in client-go, one that neither has nor names a context counts as none.
  if (config && (config.contexts.size > 0 || config.currentContext)) return transportOf(config, options);
  // The cluster of the pod may be another one than that of the context.
  const { context } = options;
  if (context !== undefined) {
    throw kubeconfigFault(`there is no context ${JSON.stringify(context)} in ${paths.join(', ')}`);
  }
  const ofPod = await podTransport(options);
  if (ofPod !== undefined) return ofPod;
  throw new Error(
    `no server is configured: there is no kubeconfig ${paths.join(', ')}, and this process does not run in a pod`,
  );
}

async function podTransport(options: InClusterTransportOptions): Promise<ConnectedTransport | undefined> {
  const { env } = await import('node:process');
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return undefined;
  const { directory = DIRECTORY, clock = systemClock } = options;
  const ca = await mountedAuthority(directory, clock);
  return createSender({
    ...options,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: options.namespace ?? (await mountedNamespace(directory)),
    credentials: createCredentials({ tokenFile: `${directory}/token` }, clock),
    tls: tlsSource({ ca }),
  });
}

/** As in client-go, the authorities of the system count if the folder has none, with a warning. */
async function mountedAuthority(directory: string, clock: Clock): Promise<Source<string> | undefined> {
  const source = fileSource(`${directory}/ca.crt`, "the authority's certificate", clock, (text) => {
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
    throw new Error('it has no certificate in PEM');
  });
  try {
    await source.read();
    return source;
  } catch (error) {
    warn(`${messageOf(error)}; the authorities of the system are trusted instead`, 'KUBE_VITALS_AUTHORITY');
    return undefined;
  }
}

async function mountedNamespace(directory: string): Promise<string | undefined> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(`${directory}/namespace`, 'utf8').catch(() => '');
  return text.trim() || undefined;
}
