import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import {
  allowAnonymous,
  allowAuthenticated,
  allowRules,
  anyOf,
  firstAuthenticator,
  staticTokens,
  type Authenticate,
  type Authorize,
} from '../../index.js';
import { abac, parsePolicyFile } from './abac.js';
import type { Flags } from './flags.js';
import { parseTokensFile, type TokenUser } from './tokens-file.js';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfThere, writePrivateFile } from './private-file.js';

/** Authentication and authorization, the same on both ports. */
export interface StandaloneAccess {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
}

const ADMIN: TokenUser = { name: 'admin', uid: 'admin', groups: ['system:masters'] };
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/** The two hooks, as the flags configure them. The admin token is always valid. */
export async function standaloneAccess(flags: Flags, adminToken: string): Promise<StandaloneAccess> {
  const tokens = new Map([[adminToken, ADMIN]]);
  if (flags.tokenAuthFile !== undefined) {
    const text = await readText('--token-auth-file', flags.tokenAuthFile);
    for (const [token, user] of parseTokensFile(text, flags.tokenAuthFile)) tokens.set(token, user);
  }
  const byToken = staticTokens(tokens);
  return {
    authenticate: flags.anonymousAuth ? firstAuthenticator(byToken, allowAnonymous()) : byToken,
    authorize: await authorizer(flags.authorizationPolicyFile),
  };
}

async function authorizer(policyFile: string | undefined): Promise<Authorize> {
  if (policyFile !== undefined) {
    return abac(parsePolicyFile(await readText('--authorization-policy-file', policyFile), policyFile));
  }
  return anyOf(
    allowAuthenticated(),
    allowRules([{ groups: ['system:unauthenticated'], verbs: ['get'], paths: PUBLIC_PATHS }]),
  );
}

/** Some 50,000 tokens or 20,000 policies. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Counts what it reads, because a pipe has no size. */
async function readText(flag: string, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(path, { end: MAX_FILE_BYTES }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
    }
  } catch (error) {
    throw new Error(`${flag}: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
  if (size > MAX_FILE_BYTES) throw new Error(`${flag}: ${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The admin token in the data directory; made on first start, the same ever after. A file that is
 * empty or all zero bytes, as a power failure may leave it, is replaced.
 */
export async function adminToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'admin-token');
  const content = (await readIfThere(path))?.replace(/^\0+$/, '');
  if (content) {
    const stored = content.trim();
    if (/^[\x21-\x7e]{16,}$/.test(stored)) return stored;
    throw new Error(`${path} holds no usable token (16 or more printable characters); delete it and a new one is made`);
  }
  const token = randomBytes(32).toString('base64url');
  await writePrivateFile(path, `${token}\n`);
  return token;
}
