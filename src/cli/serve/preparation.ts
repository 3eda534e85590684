import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { messageOf } from '../../model/error-message.js';
import { systemClock, type Clock } from '../../clock/clock.js';
import type { ProcessContext } from '../command-line/command.js';
import { readGivenFile } from '../command-line/given-file.js';
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
      tokens: await readIfGiven('--token-auth-file', flags.tokenAuthFile),
      policies: await readIfGiven('--authorization-policy-file', flags.authorizationPolicyFile),
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

async function readIfGiven(flag: string, path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : readGivenFile(flag, path);
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
