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

export function makeAuthority(now: number): Promise<KeyPair> {
  return make('kube-vitals-ca', CA_DAYS, now, {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
}

export function makeServerCertificate(ca: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  return make('kube-vitals', SERVER_DAYS, now, {
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
}

async function make(
  commonName: string,
  days: number,
  now: number,
  options: Parameters<typeof generate>[1],
): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    // Valid from an hour ago, for clients whose clock is a little behind.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + days * DAY_MS),
    keyType: 'ec',
    algorithm: 'sha256',
    ...options,
  });
  return { cert: made.cert, key: made.private };
}
