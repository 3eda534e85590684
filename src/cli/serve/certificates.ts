import { X509Certificate, createPrivateKey } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../model/error-message.js';
import type { KeyPair } from './make-certificates.js';
import { preparePrivateDirectory, readIfThere, writePrivateFile } from './private-file.js';

export interface ServingCertificate extends KeyPair {
  readonly ca: string;
}

const HINT = 'choose another directory with --cert-dir, or give a certificate with --tls-cert-file';
const DAY_MS = 86_400_000;
const RENEW_DAYS = 30;

/**
 * The authority and the certificate of a directory, made on first start. Those that have expired or soon will, do not
 * fit the address, or were damaged by a crash are made again, and the certificate also if it is not valid yet. Where
 * they cannot be written (a full disk) the start continues as long as the stored authority is valid: clients trust it,
 * and its certificates need no file.
 *
 * @param current the one in use, which is returned until it has to be renewed, whatever is in the directory
 */
export async function ownCertificate(
  dir: string,
  bindAddress: string,
  now: number = Date.now(),
  log: (line: string) => void = () => undefined,
  current?: ServingCertificate,
): Promise<ServingCertificate> {
  if (current && hasBegun(current, now) && [current.cert, current.ca].every((cert) => lasts({ cert }, now)))
    return current;
  await preparePrivateDirectory(dir, HINT);
  const names = namesFor(bindAddress);
  const ca = await currentAuthority(dir, now, log);
  const stored = await readPair(dir, 'server');
  if (stored && fits(stored, ca, names, now)) return { ...stored, ca: ca.cert };
  const { makeServerCertificate } = await import('./make-certificates.js');
  const server = await makeServerCertificate(ca, names, now);
  await writePair(dir, 'server', server).catch((error: unknown) =>
    log(`${(error as Error).message}; the certificate in use is not stored, and the next start creates another`),
  );
  return { ...server, ca: ca.cert };
}

async function currentAuthority(dir: string, now: number, log: (line: string) => void): Promise<KeyPair> {
  const stored = await readPair(dir, 'ca');
  if (stored && lasts(stored, now)) return stored;
  const { makeAuthority } = await import('./make-certificates.js');
  const made = await makeAuthority(now);
  try {
    await writePair(dir, 'ca', made);
    return made;
  } catch (error) {
    if (!stored || !lasts(stored, now, 0)) throw error;
    log(`${(error as Error).message}; the stored authority is used until it expires`);
    return stored;
  }
}

/** The kubeconfig trusts those in the first file. `current` is returned if a file can be read only once (a pipe). */
export async function givenCertificate(
  certFile: string,
  keyFile: string,
  current?: ServingCertificate,
): Promise<ServingCertificate> {
  if (current && !(await areRegular(certFile, keyFile))) return current;
  const cert = await readIfThere(certFile, 'give another file with --tls-cert-file');
  const key = await readIfThere(keyFile, 'give another file with --tls-private-key-file');
  if (cert === undefined) throw new Error(`--tls-cert-file: there is no file ${certFile}`);
  if (key === undefined) throw new Error(`--tls-private-key-file: there is no file ${keyFile}`);
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    throw new Error(`${keyFile} is encrypted: give a key without a passphrase`);
  }
  if (!belong({ cert, key })) throw new Error(`${keyFile} is not the PEM key of the PEM certificate in ${certFile}`);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new Error(`${certFile} and ${keyFile} cannot be used for TLS: ${messageOf(error)}`);
  }
  return { cert, key, ca: cert };
}

/** True for missing files, too. */
async function areRegular(...paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return found.every((entry) => entry === undefined || entry.isFile());
}

function namesFor(bindAddress: string): readonly string[] {
  const names = new Set(['localhost', '127.0.0.1', '::1']);
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') names.add(bindAddress);
  return [...names];
}

async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  const cert = await readIfThere(join(dir, `${name}.crt`), HINT);
  const key = await readIfThere(join(dir, `${name}.key`), HINT);
  return cert !== undefined && key !== undefined && belong({ cert, key }) ? { cert, key } : undefined;
}

async function writePair(dir: string, name: string, { cert, key }: KeyPair): Promise<void> {
  await writePrivateFile(join(dir, `${name}.key`), key, HINT);
  await writePrivateFile(join(dir, `${name}.crt`), cert, HINT);
}

/** Also false for files that do not contain a certificate or a key. */
function belong({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function lasts({ cert }: Pick<KeyPair, 'cert'>, now: number, days = RENEW_DAYS): boolean {
  return Date.parse(new X509Certificate(cert).validTo) - now > days * DAY_MS;
}

/**
 * Not if it was created while the clock was far ahead. An authority is kept then: clients trust it, and the clock that is
 * wrong may be the one of now, as on a machine that sets it after its start.
 */
function hasBegun({ cert }: Pick<KeyPair, 'cert'>, now: number): boolean {
  return Date.parse(new X509Certificate(cert).validFrom) <= now;
}

function fits(server: KeyPair, ca: KeyPair, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(server.cert);
  const named = names.every(
    (name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
  );
  return (
    named && hasBegun(server, now) && lasts(server, now) && certificate.verify(new X509Certificate(ca.cert).publicKey)
  );
}
