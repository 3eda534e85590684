import {
  allowAnonymous,
  allowAuthenticated,
  allowRules,
  anyOf,
  firstAuthenticator,
  staticTokens,
  type ApiServerOptions,
} from '../../index.js';
import { MASTERS, UNAUTHENTICATED } from '../../auth/contract.js';
import { abac, parsePolicyFile } from './abac.js';
import type { Flags } from './flags.js';
import { parseTokensFile, type TokenUser } from './tokens-file.js';
import type { AccessFiles } from './preparation.js';

export type StandaloneAccess = Pick<ApiServerOptions, 'authenticate' | 'authorize'>;

const ADMIN: TokenUser = { name: 'admin', uid: 'admin', groups: [MASTERS] };
const PUBLIC = {
  groups: [UNAUTHENTICATED],
  verbs: ['get'],
  paths: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
};

export function standaloneAccess(
  { anonymousAuth, tokenAuthFile = '', authorizationPolicyFile = '' }: Flags,
  { adminToken, tokens: tokensText, policies }: AccessFiles,
): StandaloneAccess {
  const tokens = new Map([[adminToken, ADMIN]]);
  if (tokensText !== undefined) {
    for (const [token, user] of parseTokensFile(tokensText, tokenAuthFile)) {
      if (token === adminToken)
        throw new Error(`token file ${tokenAuthFile}: the token of user ${user.name} is the admin token of --data-dir`);
      tokens.set(token, user);
    }
  }
  const byToken = staticTokens(tokens);
  return {
    authenticate: anonymousAuth ? firstAuthenticator(byToken, allowAnonymous()) : byToken,
    authorize:
      policies === undefined
        ? anyOf(allowAuthenticated(), allowRules([PUBLIC]))
        : abac(parsePolicyFile(policies, authorizationPolicyFile)),
  };
}
