import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { messageOf } from '../../model/error-message.js';
import { systemClock, type Clock } from '../../clock/clock.js';
import type { ProcessContext } from '../command-line/command.js';
import { unreadable } from '../command-line/given-file.js';
import { passwordFilter } from '../stores/store-url.js';
import { certificateInUse, keepRenewing, type CertificateInUse } from './certificate-in-use.js';
import { givenCertificate, ownCertificate, type ServingCertificate } from './certificates.js';
import type { Flags } from './flags.js';
import { preparePrivateDirectory, readIfThere, writePrivateFile } from './private-file.js';

export interface AccessFiles {
  readonly adminToken: string;
  readonly tokens?: string | undefined;
  readonly policies?: string | undefined;
}

export interface Preparation {
  readonly access: AccessFiles;
  readonly certificate: CertificateInUse;
}

/** Prepares the start and does the work, during which the certificate is renewed. An error gives the exit code 1. */
export async function runPrepared(
  flags: Flags,
  context: ProcessContext,
  work: (preparation: Preparation, log: (line: string) => void) => Promise<number>,
  clock: Clock = systemClock,
): Promise<number> {
  const log = createLog(flags, context);
  const { certDir, bindAddress, tlsCertFile, tlsPrivateKeyFile } = flags;
  const load = (current?: ServingCertificate): Promise<ServingCertificate> =>
    tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined
      ? givenCertificate(tlsCertFile, tlsPrivateKeyFile, current)
      : ownCertificate(certDir, bindAddress, clock.now() / 1_000, log, current);
  let renewing: { readonly stop: () => void } | undefined;
  try {
    await preparePrivateDirectory(flags.dataDir);
    const access = {
      adminToken: await adminToken(flags.dataDir),
      tokens: await readText('--token-auth-file', flags.tokenAuthFile),
      policies: await readText('--authorization-policy-file', flags.authorizationPolicyFile),
    };
    const certificate = certificateInUse(await load());
    renewing = keepRenewing({ inUse: certificate, load, log, clock });
    return await work({ access, certificate }, log);
  } catch (error) {
    log(`error: ${messageOf(error)}`);
    return 1;
  } finally {
    renewing?.stop();
  }
}

/** Some 50,000 tokens or 20,000 policies. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Reads at most one byte beyond the limit: a pipe has no size that could be checked before. */
async function readText(flag: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  let content: Buffer;
  try {
    content = await buffer(createReadStream(path, { end: MAX_FILE_BYTES }));
  } catch (error) {
    throw unreadable(flag, path, error);
  }
  if (content.length > MAX_FILE_BYTES) throw new Error(`${flag}: ${path} is larger than ${MAX_FILE_BYTES} bytes`);
  return content.toString('utf8');
}

/** The token is created at the first start. A file left empty or full of zero bytes by a power failure is replaced. */
export async function adminToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'admin-token');
  const content = (await readIfThere(path))?.replace(/^\0+$/, '');
  if (content) {
    const stored = content.trim();
    if (/^[\x21-\x7e]{16,}$/.test(stored)) return stored;
    throw new Error(
      `${path} contains no usable token (16 or more printable characters); delete it to create a new one`,
    );
  }
  const token = randomBytes(32).toString('base64url');
  await writePrivateFile(path, `${token}\n`);
  return token;
}

/** Writes lines to stderr, each with the prefix `source`, without the password of the store. */
export function createLog(
  { store }: Pick<Flags, 'store'>,
  { stderr }: Pick<ProcessContext, 'stderr'>,
  source: string = '',
): (line: string) => void {
  const hidePassword = passwordFilter(store ?? {});
  return (line) => void stderr.write(`${source}${hidePassword(line)}\n`);
}
