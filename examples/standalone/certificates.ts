import { X509Certificate, createPrivateKey } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { readIfThere, writePrivateFile } from './private-file.js';

/** What the HTTPS port serves with, and what clients trust. All PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
  /** The authority that clients should know. */
  readonly ca: string;
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
/** A server certificate is renewed at a start this long before its end. */
const RENEW_DAYS = 30;

/**
 * The certificate in a directory: an authority of its own and a certificate for loopback, made on first start, used
 * again on the next, and renewed when they have expired or soon will, or do not fit the address.
 *
 * @param now milliseconds since the epoch
 */
export async function ownCertificate(dir: string, bindAddress: string, now = Date.now()): Promise<ServingCertificate> {
  const names = namesFor(bindAddress);
  const storedCa = await readPair(dir, 'ca');
  const ca = storedCa && lasts(storedCa, now) ? storedCa : await makeAuthority(now);
  if (ca !== storedCa) await writePair(dir, 'ca', ca);
  const stored = await readPair(dir, 'server');
  const server = stored && fits(stored, ca, names, now) ? stored : await makeServer(ca, names, now);
  if (server !== stored) await writePair(dir, 'server', server);
  return { ...server, ca: ca.cert };
}

/** A certificate and key that somebody else made. Clients are told to trust the file's own certificates. */
export async function givenCertificate(certFile: string, keyFile: string): Promise<ServingCertificate> {
  const cert = await readIfThere(certFile);
  const key = await readIfThere(keyFile);
  if (cert === undefined) throw new Error(`--tls-cert-file: there is no file ${certFile}`);
  if (key === undefined) throw new Error(`--tls-private-key-file: there is no file ${keyFile}`);
  if (!belong({ cert, key })) throw new Error(`${keyFile} is not the PEM key of the PEM certificate in ${certFile}`);
  return { cert, key, ca: cert };
}

function namesFor(bindAddress: string): readonly string[] {
  const names = new Set(['localhost', '127.0.0.1', '::1']);
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') names.add(bindAddress);
  return [...names];
}

async function makeAuthority(now: number): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: 'kube-vitals-ca' }], {
    ...validFor(CA_DAYS, now),
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

async function makeServer(ca: Pair, names: readonly string[], now: number): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: 'kube-vitals' }], {
    ...validFor(SERVER_DAYS, now),
    keyType: 'ec',
    algorithm: 'sha256',
    ca,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** Valid from an hour ago, so that a client whose clock is a little behind is not turned away. */
function validFor(days: number, now: number): { notBeforeDate: Date; notAfterDate: Date } {
  return { notBeforeDate: new Date(now - 3_600_000), notAfterDate: new Date(now + days * DAY_MS) };
}

async function readPair(dir: string, name: string): Promise<Pair | undefined> {
  const cert = await readIfThere(join(dir, `${name}.crt`));
  const key = await readIfThere(join(dir, `${name}.key`));
  return cert !== undefined && key !== undefined && belong({ cert, key }) ? { cert, key } : undefined;
}

async function writePair(dir: string, name: string, { cert, key }: Pair): Promise<void> {
  await writePrivateFile(join(dir, `${name}.key`), key);
  await writePrivateFile(join(dir, `${name}.crt`), cert);
}

/** False also for files that are no certificate or no key. */
function belong({ cert, key }: Pair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function lasts({ cert }: Pair, now: number): boolean {
  return Date.parse(new X509Certificate(cert).validTo) - now > RENEW_DAYS * DAY_MS;
}

function fits(server: Pair, ca: Pair, names: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(server.cert);
  const named = names.every(
    (name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined,
  );
  return named && lasts(server, now) && certificate.verify(new X509Certificate(ca.cert).publicKey);
}
