import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const CA_DAYS = 3650;
const SERVER_DAYS = 365;

/** An authority for ten years. */
export async function makeAuthority(now: number): Promise<KeyPair> {
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

/** A certificate for a year, signed by the authority. */
export async function makeServerCertificate(ca: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
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
