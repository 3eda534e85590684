import {
  createEventsClient,
  defaultTransport,
  httpTransport,
  isConnectionError,
  isForbidden,
  isNotFound,
  kubeconfigTransport,
} from '../../client.js';
import type { ConnectedTransport, EventsClient } from '../../client.js';
import { callObject, DEFAULTS } from '../../client/requests/call.js';
import { readFailed } from '../../client/requests/repeat.js';
import { isSubdomain } from '../../api/validation/name-forms.js';
import { untilAborted } from '../../clock/abortable.js';
import { systemClock } from '../../clock/clock.js';
import { isObject } from '../../json/json-tree.js';
import { readCertificates } from '../command-line/given-file.js';
import { fieldText } from './field-text.js';

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

/**
 * Connects to the server of the flags, or else of the kubeconfig or the pod, as kubectl does. `onExecOutput` gets what
 * the credential plugin of a kubeconfig writes to its standard error.
 */
export async function connect(
  flags: ConnectionFlags,
  signal: AbortSignal,
  onExecOutput: (text: string) => void,
): Promise<{ readonly client: EventsClient; close(): Promise<void> }> {
  // A file may never be read, such as one on a server that is away.
  const transport = await untilAborted(transportOf(flags, onExecOutput), signal);
  try {
    const group = flags.apiGroup ?? (await findGroup(transport, signal));
    return { client: createEventsClient({ transport, group }), close: () => transport.close() };
  } catch (error) {
    await transport.close();
    throw error;
  }
}

async function transportOf(flags: ConnectionFlags, onExecOutput: (text: string) => void): Promise<ConnectedTransport> {
  const { server, kubeconfig, context, tokenFile, certificateAuthority } = flags;
  if (server === undefined) {
    return kubeconfig === undefined
      ? defaultTransport({ context, onExecOutput })
      : kubeconfigTransport({ path: kubeconfig, context, onExecOutput });
  }
  const ca =
    certificateAuthority === undefined
      ? undefined
      : await readCertificates('--certificate-authority', certificateAuthority);
  return httpTransport({ server, tokenFile, ...(ca !== undefined && { tls: { ca } }) });
}

/** Not a server that is not reached: whoever waits at a terminal wants to know at once. */
const isOverloaded = (error: unknown): boolean => !isConnectionError(error) && readFailed(error);

const isEventsGroup = (name: string): boolean => name.startsWith('events.') && isSubdomain(name);

/** A server that does not list its groups for this caller is taken to be Kubernetes. @throws Error for other failures */
async function findGroup({ handle, server }: ConnectedTransport, signal: AbortSignal): Promise<string> {
  const parts = {
    transport: handle,
    server,
    clock: systemClock,
    maxResponseBytes: MAX_GROUPS_BYTES,
    onWarning: undefined,
  };
  try {
    const { groups } = await callObject(
      { ...DEFAULTS, ...parts },
      { method: 'GET', url: '/apis' },
      { signal },
      isOverloaded,
    );
    const names = (Array.isArray(groups) ? groups : []).map((group) => fieldText(isObject(group) && group['name']));
    return names.includes(KUBERNETES) ? KUBERNETES : (names.find(isEventsGroup) ?? KUBERNETES);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return KUBERNETES;
    throw error;
  }
}
