// Access as in the standalone server with a token file and a policy file: the same code, and more rules than are
// needed.
import type { Authenticate, Authorize } from 'kube-vitals';
import { staticTokens } from 'kube-vitals';
import { abac, parsePolicyFile } from '../../src/cli/serve/abac.js';
import { parseTokensFile } from '../../src/cli/serve/tokens-file.js';
import { FLOOD_TOKEN, TOKEN } from '../protocol.js';

const TOKENS = `admin-token,admin,1,"system:masters"
viewer-token,viewer,2
${TOKEN},reporter,3,"reporters"
${FLOOD_TOKEN},flood,4,"reporters"
`;

const HEALTH_PATHS = ['/healthz', '/livez', '/readyz', '/version'];
const GROUPS = ['system:authenticated', 'system:unauthenticated'];

/** The lines of a policy file in which the rule that allows events is the last of ten. */
const SPECS = [
  ...HEALTH_PATHS.flatMap((path) => GROUPS.map((group) => ({ group, nonResourcePath: path, readonly: true }))),
  { user: 'viewer', apiGroup: '*', namespace: '*', resource: 'events', readonly: true },
  { group: 'reporters', apiGroup: '*', namespace: '*', resource: 'events' },
];

const POLICY = SPECS.map((spec) =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec }),
).join('\n');

/** The hooks of our servers. */
export function benchAccess(): { readonly authenticate: Authenticate; readonly authorize: Authorize } {
  return {
    authenticate: staticTokens(parseTokensFile(TOKENS, 'tokens.csv')),
    authorize: abac(parsePolicyFile(POLICY, 'policy.jsonl')),
  };
}
