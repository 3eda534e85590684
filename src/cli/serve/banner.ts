import { join, resolve } from 'node:path';
import type { DefaultStore } from '../stores/open-store.js';
import type { StoreChoice } from '../stores/store-url.js';
import type { Flags } from './flags.js';
import type { Addresses } from './servers.js';

export function banner(
  { apiDomain, dataDir, certDir, tlsCertFile }: Pick<Flags, 'apiDomain' | 'dataDir' | 'certDir' | 'tlsCertFile'>,
  { secureUrl, insecureUrl, insecureHealthOnly }: Addresses,
  { choice, keepAdvice }: DefaultStore,
): string {
  const group = `events.${apiDomain}`;
  // The copied line may be run in another directory.
  const file = (path: string): string => quote(resolve(path));
  const config = file(join(dataDir, 'kubeconfig'));
  const tokenFile = file(join(dataDir, 'admin-token'));
  const ca = file(tlsCertFile ?? join(certDir, 'ca.crt'));
  const readyz = quote(`${insecureUrl ?? secureUrl}/readyz?verbose`);
  const trust = `--cacert ${ca}`;
  const kubectl = `kubectl --kubeconfig ${config}`;
  const token = `-H "Authorization: Bearer $(cat ${tokenFile})"`;
  return [
    `kube-vitals serves ${group}/v1 on ${secureUrl}${insecureUrl === undefined || insecureHealthOnly ? '' : ` and ${insecureUrl}`}`,
    ...(insecureUrl !== undefined && insecureHealthOnly
      ? [`${insecureUrl} serves health only and accepts no token, because it is not encrypted and not on loopback.`]
      : []),
    whereEvents(choice),
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
    '',
  ].join('\n');
}

function whereEvents(store: StoreChoice): string {
  if (store.kind === 'memory') return 'Events are kept in memory and are lost when the server ends.';
  const where = store.kind === 'sqlite' ? resolve(store.path) : store.shown;
  return `Events are kept in ${where} and survive a restart.`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
