import { join, resolve } from 'node:path';
import type { DefaultStore } from '../stores/open-store.js';
import type { StoreChoice } from '../stores/store-url.js';
import type { Flags } from './flags.js';
import type { Addresses } from './servers.js';

const NEEDS_POLICY = 'It responds with 403 unless a policy allows these paths to the group system:unauthenticated.';
const REFUSES_ALL = 'It responds with 401, because of --anonymous-auth=false.';

type BannerFlags = Pick<
  Flags,
  'apiDomain' | 'dataDir' | 'certDir' | 'tlsCertFile' | 'anonymousAuth' | 'authorizationMode'
>;

export function banner(
  { apiDomain, dataDir, certDir, tlsCertFile, anonymousAuth, authorizationMode }: BannerFlags,
  { secureUrl, insecureUrl, insecureHealthOnly }: Addresses,
  { choice, keepAdvice }: DefaultStore,
): string {
  const group = `events.${apiDomain}`;
  // The copied line may be run in another directory.
  const file = (path: string): string => quote(resolve(path));
  const config = file(join(dataDir, 'kubeconfig'));
  const tokenFile = file(join(dataDir, 'admin-token'));
  const ca = file(tlsCertFile ?? join(certDir, 'ca.crt'));
  // With ABAC a policy may allow it without a token too; the admin token is always sufficient.
  const needsToken = !anonymousAuth || authorizationMode === 'ABAC';
  const httpUrl = needsToken && insecureHealthOnly ? undefined : insecureUrl;
  const readyz = quote(`${httpUrl ?? secureUrl}/readyz?verbose`);
  const trust = `--cacert ${ca}`;
  const kubectl = `kubectl --kubeconfig ${config}`;
  const token = `-H "Authorization: Bearer $(cat ${tokenFile})"`;
  return [
    `kube-vitals serves ${group}/v1 on ${secureUrl}${insecureUrl === undefined || insecureHealthOnly ? '' : ` and ${insecureUrl}`}`,
    ...(insecureUrl !== undefined && insecureHealthOnly
      ? [
          `${insecureUrl} serves health only and accepts no token, because it is not encrypted and not on loopback.`,
          ...(needsToken ? [anonymousAuth ? NEEDS_POLICY : REFUSES_ALL] : []),
        ]
      : []),
    whereEvents(choice),
    ...(keepAdvice === undefined ? [] : [keepAdvice]),
    '',
    '  Health:',
    ['    curl', ...(httpUrl === undefined ? [trust] : []), ...(needsToken ? [token] : []), readyz].join(' '),
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
