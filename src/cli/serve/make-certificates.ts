import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { KeyObject, createPrivateKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;
const KEYS = { name: 'ECDSA', namedCurve: 'P-256' };

export function makeAuthority(now: number): Promise<KeyPair> {
  return make('CN=kube-vitals-ca', CA_DAYS, now, [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ]);
}

export function makeServerCertificate(ca: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  const extensions = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }))),
  ];
  return make('CN=kube-vitals', SERVER_DAYS, now, extensions, ca);
}

/** Without `ca` the certificate is its own authority. */
async function make(
  name: string,
  days: number,
  now: number,
  extensions: readonly Extension[],
  ca?: KeyPair,
): Promise<KeyPair> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
  const authority = ca && new X509Certificate(ca.cert);
  const cert = await X509CertificateGenerator.create({
    subject: name,
    issuer: authority?.subjectName ?? name,
    // Valid since long ago, for clients whose clocks are slow, and in case the clock of this machine is ahead.
    notBefore: new Date(now - days * DAY_MS),
    notAfter: new Date(now + days * DAY_MS),
    publicKey,
    signingKey: ca ? await importKey(ca.key) : privateKey,
    signingAlgorithm: { name: KEYS.name, hash: 'SHA-256' },
    extensions: [
      ...extensions,
      // Python 3.13 and later, which verifies strictly, refuses certificates without these two.
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(authority?.publicKey ?? publicKey),
    ],
  });
  // The final newline is for those who concatenate PEM files.
  return {
    cert: `${cert.toString('pem')}\n`,
    key: KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, KEYS, false, ['sign']);
}
