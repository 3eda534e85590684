/** What an operator can do with a server that has just started. */
export interface BannerFacts {
  readonly secureUrl: string;
  readonly insecureUrl: string | undefined;
  readonly group: string;
  readonly kubeconfigPath: string;
  readonly tokenPath: string;
  /** The file curl should trust. */
  readonly caPath: string;
}

/** Lines to copy and paste into a shell. */
export function banner(facts: BannerFacts): string {
  const { secureUrl, insecureUrl, group, kubeconfigPath, tokenPath, caPath } = facts;
  const readyz = quote(`${insecureUrl ?? secureUrl}/readyz?verbose`);
  const trust = `--cacert ${quote(caPath)}`;
  const kubectl = `kubectl --kubeconfig ${quote(kubeconfigPath)}`;
  const token = `-H "Authorization: Bearer $(cat ${quote(tokenPath)})"`;
  return [
    `kube-vitals serves ${group}/v1 on ${secureUrl}${insecureUrl === undefined ? '' : ` and ${insecureUrl}`}`,
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

/** A word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
