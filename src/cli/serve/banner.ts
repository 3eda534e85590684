import type { StoreChoice } from '../store-url.js';

/** What an operator can do with a server that has just started. */
export interface BannerFacts {
  readonly secureUrl: string;
  readonly insecureUrl: string | undefined;
  /** Whether that serves no more than health. */
  readonly insecureHealthOnly: boolean;
  readonly group: string;
  readonly kubeconfigPath: string;
  readonly tokenPath: string;
  /** The file curl should trust. */
  readonly caPath: string;
  /** Where events are kept, without a password. */
  readonly store: StoreChoice;
}

/** Lines to copy and paste into a shell. */
export function banner(facts: BannerFacts): string {
  const { secureUrl, insecureUrl, insecureHealthOnly, group, kubeconfigPath, tokenPath, caPath, store } = facts;
  const readyz = quote(`${insecureUrl ?? secureUrl}/readyz?verbose`);
  const trust = `--cacert ${quote(caPath)}`;
  const kubectl = `kubectl --kubeconfig ${quote(kubeconfigPath)}`;
  const token = `-H "Authorization: Bearer $(cat ${quote(tokenPath)})"`;
  return [
    `kube-vitals serves ${group}/v1 on ${secureUrl}${insecureUrl === undefined || insecureHealthOnly ? '' : ` and ${insecureUrl}`}`,
    ...(insecureUrl !== undefined && insecureHealthOnly
      ? [`${insecureUrl} serves health only, and takes no token: it is not encrypted, and not on loopback.`]
      : []),
    whereEvents(store),
    '',
    '  Health:',
    insecureUrl === undefined ? `    curl ${trust} ${readyz}` : `    curl ${readyz}`,
    '  Events:',
    `    ${kubectl} get events.${group} -A -w`,
    `    ${kubectl} get --raw '/readyz?verbose'`,
    `    curl ${trust} ${token} ${secureUrl}/apis/${group}/v1/events`,
    '',
    'Ctrl-C ends it.',
  ].join('\n');
}

function whereEvents({ kind, shown }: StoreChoice): string {
  if (kind === 'memory') return 'Events are kept in memory, and gone when it ends.';
  return `Events are kept in ${shown}, and there again after a restart.`;
}

/** A word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
