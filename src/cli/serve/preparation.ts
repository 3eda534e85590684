import { Buffer } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { adminToken } from './admin-token.js';
import { givenCertificate, ownCertificate, type ServingCertificate } from './certificates.js';
import type { Flags } from './flags.js';
import { preparePrivateDirectory } from './private-file.js';

/** What access is made of: the contents of files. */
export interface AccessFiles {
  readonly adminToken: string;
  /** Of `--token-auth-file`. */
  readonly tokens?: string | undefined;
  /** Of `--authorization-policy-file`. */
  readonly policies?: string | undefined;
}

/** What is read and made once for a start, however many processes serve: all of them have the same. Plain data. */
export interface Preparation {
  readonly access: AccessFiles;
  readonly certificate: ServingCertificate;
}

/** Makes the data directory, the admin token and the certificate where they are missing, and reads the files that flags name. */
export async function prepare(flags: Flags, log: (line: string) => void): Promise<Preparation> {
  await preparePrivateDirectory(flags.dataDir);
  const access = {
    adminToken: await adminToken(flags.dataDir),
    tokens: await readText('--token-auth-file', flags.tokenAuthFile),
    policies: await readText('--authorization-policy-file', flags.authorizationPolicyFile),
  };
  const certificate =
    flags.tlsCertFile !== undefined && flags.tlsPrivateKeyFile !== undefined
      ? await givenCertificate(flags.tlsCertFile, flags.tlsPrivateKeyFile)
      : await ownCertificate(flags.certDir, flags.bindAddress, Date.now(), log);
  return { access, certificate };
}

/** Some 50,000 tokens or 20,000 policies. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Counts what it reads, because a pipe has no size. */
async function readText(flag: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
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
