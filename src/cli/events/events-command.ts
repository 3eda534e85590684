import type { Command } from '../command-line/command.js';
import {
  helpText,
  oneOf,
  parseCommandLine,
  readBoolean,
  readOptional,
  type FlagTable,
} from '../command-line/parse-command-line.js';
import type { ServerChoice } from './server-choice.js';
import { readForObject, readTypes, type ForObject } from './filter.js';

/** What the command line says, by the names of the flags in camel case. */
export interface EventsFlags extends ServerChoice {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly watch: boolean;
  readonly for: ForObject | undefined;
  readonly types: readonly string[];
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
  readonly sort: '' | 'newest' | 'oldest';
}

const TABLE = {
  server: {
    value: 'url',
    fallback: '',
    help: 'The address of the server. Without it that of the kubeconfig, or in a pod that of the cluster.',
    read: readServer,
  },
  kubeconfig: {
    value: 'file',
    fallback: '',
    shownDefault: '$KUBECONFIG or ~/.kube/config',
    help: 'The kubeconfig. Programs it names for credentials are run.',
    read: readOptional,
  },
  context: {
    value: 'name',
    fallback: '',
    help: 'The context of the kubeconfig, instead of its current one.',
    read: readOptional,
  },
  namespace: {
    short: 'n',
    value: 'name',
    fallback: '',
    shownDefault: "the context's, or default",
    help: 'The namespace.',
    read: readOptional,
  },
  'all-namespaces': { short: 'A', fallback: 'false', help: 'The events of all namespaces.', read: readBoolean },
  watch: {
    short: 'w',
    fallback: 'false',
    help: 'Goes on with every event that is added or updated, until Ctrl-C, also after the server was away.',
    read: readBoolean,
  },
  for: {
    value: 'kind/name',
    fallback: '',
    help: 'Only events about this object, such as pod/web-0.',
    read: readForObject,
  },
  types: {
    value: 'types',
    fallback: '',
    shownDefault: 'all',
    help: 'Only events of these types, with commas between them: Warning.',
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
    fallback: '',
    shownDefault: 'newest; with --watch oldest',
    help: 'What comes first of the events that exist: newest or oldest, by when they were seen last.',
    read: oneOf('', 'newest', 'oldest'),
  },
  'token-file': {
    value: 'file',
    fallback: '',
    help: 'A file with a bearer token for --server, which then has to be an https URL or on this machine.',
    read: readOptional,
  },
  'certificate-authority': {
    value: 'file',
    fallback: '',
    shownDefault: "the system's",
    help: 'Authorities (PEM) to verify the certificate of --server with.',
    read: readOptional,
  },
  'api-group': {
    value: 'group',
    fallback: '',
    shownDefault: 'found out',
    help: 'The API group of the events, such as events.k8s.io.',
    read: readOptional,
  },
} as const satisfies FlagTable;

/** The flags of `kube-vitals events`. */
export const eventsFlags: FlagTable = TABLE;

/** `kube-vitals events`. */
export const eventsCommand: Command = {
  name: 'events',
  usage: 'events',
  summary: 'Shows the events of any server, and goes on with --watch.',
  prepare(argv) {
    const parsed = parseCommandLine({ flags: TABLE, operands: [] }, argv);
    if ('helpWanted' in parsed) return { help: eventsHelp() };
    if ('error' in parsed) return parsed;
    const { flags } = parsed;
    const fault = faultOf(flags);
    if (fault !== undefined) return { error: fault };
    return {
      run: async (context) => {
        const { runEvents } = await import('./run-events.js');
        return runEvents(flags, context);
      },
    };
  },
};

function faultOf(flags: EventsFlags): string | undefined {
  const { server, kubeconfig, context, tokenFile, certificateAuthority, allNamespaces, namespace } = flags;
  if (server === undefined) {
    if (tokenFile !== undefined || certificateAuthority !== undefined) {
      return '--token-file and --certificate-authority are for --server; a kubeconfig has its own';
    }
    return allNamespaces && namespace !== undefined ? '--namespace and --all-namespaces exclude each other' : undefined;
  }
  if (kubeconfig !== undefined || context !== undefined) return '--server excludes --kubeconfig and --context';
  const { protocol, hostname } = new URL(server);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (tokenFile !== undefined && protocol === 'http:' && !isLocal) {
    return '--token-file needs an https URL: a token does not pass a network in the clear';
  }
  if (certificateAuthority !== undefined && protocol === 'http:') return '--certificate-authority needs an https URL';
  return allNamespaces && namespace !== undefined ? '--namespace and --all-namespaces exclude each other' : undefined;
}

function readServer(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ''
  ) {
    throw new Error('must be an http:// or https:// URL without a user, a query and a fragment');
  }
  return text;
}

function eventsHelp(): string {
  return helpText({
    about: [
      'Shows events as kubectl events does, of this server, of Kubernetes or of any other that serves them, the newest first.',
      '',
      'What other people have written into events is shown without control characters: it cannot drive the terminal. Colours',
      'are shown on a terminal unless NO_COLOR is set.',
      '',
      'The exit code is 0, 1 when the server cannot be asked or refuses, 2 when the command line cannot be understood.',
    ],
    usage: 'kube-vitals events [flags]',
    flags: eventsFlags,
  });
}
