import { join, resolve } from 'node:path';
import type { TextOutput } from '../command-line/command.js';
import type { DefaultStore } from '../stores/open-store.js';
import type { StoreChoice } from '../stores/store-url.js';
import type { Flags } from './flags.js';
import type { Addresses } from './servers.js';

/** Facts for the operator of a server that has just started. */
export interface BannerFacts extends Addresses {
  readonly group: string;
  readonly kubeconfigPath: string;
  readonly tokenPath: string;
  /** The file curl should trust. */
  readonly caPath: string;
  /** Where events are kept, without a password. */
  readonly store: StoreChoice;
  /** How to keep events, where they are in memory by default. */
  readonly keepAdvice?: string | undefined;
}

/** Prints the banner of a server that these flags have started. */
export function announce(
  { apiDomain, dataDir, certDir, tlsCertFile }: Flags,
  addresses: Addresses,
  { choice, keepAdvice }: DefaultStore,
  output: TextOutput,
): void {
  const facts: BannerFacts = {
    ...addresses,
    group: `events.${apiDomain}`,
    kubeconfigPath: join(dataDir, 'kubeconfig'),
    tokenPath: join(dataDir, 'admin-token'),
    caPath: tlsCertFile ?? join(certDir, 'ca.crt'),
    store: choice,
    keepAdvice,
  };
  output.write(`${banner(facts)}\n`);
}

/** Lines to copy and paste into a shell. */
export function banner(facts: BannerFacts): string {
  const { secureUrl, insecureUrl, insecureHealthOnly, group, kubeconfigPath, tokenPath, caPath, store, keepAdvice } =
    facts;
  // A copied line may be run in another directory.
  const [config, tokenFile, ca] = [kubeconfigPath, tokenPath, caPath].map((path) => quote(resolve(path)));
  const readyz = quote(`${insecureUrl ?? secureUrl}/readyz?verbose`);
  const trust = `--cacert ${ca}`;
  const kubectl = `kubectl --kubeconfig ${config}`;
  const token = `-H "Authorization: Bearer $(cat ${tokenFile})"`;
  return [
    `kube-vitals serves ${group}/v1 on ${secureUrl}${insecureUrl === undefined || insecureHealthOnly ? '' : ` and ${insecureUrl}`}`,
    ...(insecureUrl !== undefined && insecureHealthOnly
      ? [`${insecureUrl} serves health only, and takes no token: it is not encrypted, and not on loopback.`]
      : []),
    whereEvents(store),
    ...(keepAdvice === undefined ? [] : [keepAdvice]),
    '',
    '  Health:',
    insecureUrl === undefined ? `    curl ${trust} ${readyz}` : `    curl ${readyz}`,
    '  Events:',
    `    ${kubectl} get events.${group} -A -w`,
    `    ${kubectl} get --raw '/readyz?verbose'`,
    `    curl ${trust} ${token} ${quote(`${secureUrl}/apis/${group}/v1/events`)}`,
    '',
    'Ctrl-C ends it.',
  ].join('\n');
}

function whereEvents(store: StoreChoice): string {
  if (store.kind === 'memory') return 'Events are kept in memory, and gone when it ends.';
  const where = store.kind === 'sqlite' ? resolve(store.path) : store.shown;
  return `Events are kept in ${where}, and there again after a restart.`;
}

/** A word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
