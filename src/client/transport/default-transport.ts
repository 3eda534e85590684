import type { ConnectedTransport } from '../contract/transport.js';
import { podTransport } from './in-cluster-transport.js';
import { transportOf } from './kubeconfig/kubeconfig-transport.js';
import { defaultPaths, loadFiles } from './kubeconfig/load-kubeconfig.js';
import { checkDefaultTransportOptions, type DefaultTransportOptions } from './kubeconfig/options.js';

/**
 * The transport that kubectl would use here: of the kubeconfig (`$KUBECONFIG`, else `~/.kube/config`) where there is
 * one, else of the pod this runs in.
 *
 * @throws TypeError (as a rejection) that lists every fault of the options
 * @throws Error where there is neither
 */
export async function defaultTransport(options: DefaultTransportOptions = {}): Promise<ConnectedTransport> {
  checkDefaultTransportOptions(options);
  const paths = await defaultPaths();
  const config = await loadFiles(paths);
  const isEmpty = config === undefined || (config.contexts.size === 0 && config.clusters.size === 0);
  if (config !== undefined && !isEmpty) return transportOf(config, options);
  const ofPod = await podTransport(options);
  if (ofPod !== undefined) return ofPod;
  throw new Error(
    `no server is configured: there is no kubeconfig ${paths.join(', ')}, and this process does not run in a pod`,
  );
}
