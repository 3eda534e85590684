import { readFile } from 'node:fs/promises';
import { createEventsClient, defaultTransport, httpTransport, kubeconfigTransport } from '../../client.js';
import type { ConnectedTransport, EventsClient } from '../../client.js';
import { readBody } from '../../client/requests/read-body.js';

export interface ConnectionFlags {
  readonly server: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly tokenFile: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly apiGroup: string | undefined;
}

const KUBERNETES = 'events.k8s.io';
const MAX_GROUPS_BYTES = 4_194_304;

/** Connects to the server of the flags, or else of the kubeconfig or the pod, as kubectl does. */
export async function connect(
  flags: ConnectionFlags,
  signal: AbortSignal,
): Promise<{ readonly client: EventsClient; close(): Promise<void> }> {
  const transport = await transportOf(flags);
  try {
    const group = flags.apiGroup ?? (await findGroup(transport, signal));
    return { client: createEventsClient({ transport, group }), close: () => transport.close() };
  } catch (error) {
    await transport.close();
    throw error;
  }
}

async function transportOf(flags: ConnectionFlags): Promise<ConnectedTransport> {
  const { server, kubeconfig, context, tokenFile, certificateAuthority } = flags;
  if (server === undefined) {
    return kubeconfig === undefined
      ? defaultTransport({ context })
      : kubeconfigTransport({ path: kubeconfig, context });
  }
  const ca = certificateAuthority === undefined ? undefined : await readFile(certificateAuthority, 'utf8');
  return httpTransport({ server, tokenFile, ...(ca !== undefined && { tls: { ca } }) });
}

/** A server that does not list its groups is taken to be Kubernetes. */
async function findGroup({ handle }: ConnectedTransport, signal: AbortSignal): Promise<string> {
  const headers = { accept: 'application/json' };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
  const response = await handle({ method: 'GET', url: '/apis', headers, signal: limit });
  if (response?.status !== 200) return KUBERNETES;
  const { text, cut } = await readBody(response, MAX_GROUPS_BYTES, limit);
  if (cut) throw new Error('the list of API groups is too long');
  const names = groupNames(text);
  return names.includes(KUBERNETES) ? KUBERNETES : (names.find((name) => name.startsWith('events.')) ?? KUBERNETES);
}

function groupNames(text: string): readonly string[] {
  try {
    const { groups = [] } = JSON.parse(text) as { readonly groups?: readonly { readonly name?: unknown }[] };
    return groups.map(({ name }) => name).filter((name) => typeof name === 'string');
  } catch {
    return [];
  }
}
