import { isSubdomain } from '../../api/validation/name-forms.js';
import { httpUrl } from '../../options/http-url.js';
import { createCommand, type Command } from '../command-line/command.js';
import { oneOf, refuseUnencryptedToken } from '../command-line/parse-command-line.js';
import { readForObject, readTypes } from './filter.js';
import type { EventsFlags } from './run-events.js';

export const eventsCommand: Command = createCommand<EventsFlags>({
  name: 'events',
  summary: 'Shows the events of any server; --watch follows them.',
  about: [
    'Shows events as kubectl events does, the newest first: of this server, of Kubernetes or of any other server with events.',
    '',
    'Control characters in events are escaped, so that they cannot control the terminal. Output to a terminal has colours',
    'unless NO_COLOR is set.',
    '',
    'The exit code is 0, 1 when the server cannot be reached or refuses a request, 2 when the command line is invalid, and 130',
    'or 143 when SIGINT or SIGTERM ends it before it has shown the events that exist.',
  ],
  flags: {
    server: {
      value: 'url',
      help: 'The address of the server. By default the server of the kubeconfig, or in a pod that of the cluster.',
      read: readServer,
    },
    kubeconfig: {
      value: 'file',
      shownDefault: '$KUBECONFIG or ~/.kube/config',
      help: 'The kubeconfig. Credential plugins named in it are run.',
    },
    context: { value: 'name', help: 'The context of the kubeconfig, instead of its current one.' },
    namespace: { short: 'n', value: 'name', shownDefault: "the context's, or default", help: 'The namespace.' },
    'all-namespaces': { short: 'A', help: 'The events of all namespaces.' },
    watch: {
      short: 'w',
      help: 'Then shows every event that is added or updated, until Ctrl-C, and continues after the server was unavailable.',
    },
    for: { value: 'kind/name', help: 'Only events about this object, such as pod/web-0.', read: readForObject },
    types: {
      value: 'types',
      shownDefault: 'all',
      help: 'Only events of these types, separated by commas, such as Warning.',
      read: readTypes,
    },
    output: {
      short: 'o',
      value: 'format',
      fallback: 'table',
      help: 'table, wide (more columns), json or yaml.',
      read: oneOf('table', 'wide', 'json', 'yaml'),
    },
    sort: {
      value: 'order',
      shownDefault: 'newest; with --watch oldest',
      help: 'The order of the existing events, by the time they were last seen: newest or oldest first.',
      read: oneOf('', 'newest', 'oldest'),
    },
    'token-file': {
      value: 'file',
      help: 'A file with a bearer token for --server, which must then be an https URL or on this machine.',
    },
    'certificate-authority': {
      value: 'file',
      shownDefault: "the system's",
      help: 'Certificate authorities (PEM) to verify the certificate of --server with.',
    },
    'api-group': {
      value: 'group',
      shownDefault: 'discovered',
      help: 'The API group of the events, such as events.k8s.io.',
      read: readGroup,
    },
  },
  read(flags) {
    throwContradiction(flags);
    return async (context) => {
      const { runEvents } = await import('./run-events.js');
      return runEvents(flags, context);
    };
  },
});

function throwContradiction(flags: EventsFlags): void {
  const { server, kubeconfig, context, tokenFile, certificateAuthority, allNamespaces, namespace } = flags;
  if (server === undefined) {
    if (tokenFile !== undefined || certificateAuthority !== undefined) {
      throw new Error('--token-file and --certificate-authority are for --server; a kubeconfig has its own');
    }
  } else {
    if (kubeconfig !== undefined || context !== undefined) {
      throw new Error('--server excludes --kubeconfig and --context');
    }
    const url = new URL(server);
    if (tokenFile !== undefined) refuseUnencryptedToken(url);
    if (certificateAuthority !== undefined && url.protocol === 'http:') {
      throw new Error('--certificate-authority needs an https URL');
    }
  }
  if (allNamespaces && namespace !== undefined) throw new Error('--namespace and --all-namespaces exclude each other');
}

function readServer(text: string): string | undefined {
  if (text === '') return undefined;
  const url = httpUrl(text);
  if (url === undefined || url.username + url.password + url.search + url.hash !== '') {
    throw new Error('must be an http:// or https:// URL without a user, a query and a fragment');
  }
  return text;
}

function readGroup(text: string): string | undefined {
  if (text !== '' && !isSubdomain(text)) throw new Error('must be an API group such as events.k8s.io');
  return text || undefined;
}
