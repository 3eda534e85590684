import { describe, expect, test } from 'vitest';
import { peerCertificateOf } from '../../../../src/bridge/exchange/peer-certificate.js';

const socket = (authorized: boolean, subject: unknown) => ({
  authorized,
  getPeerCertificate: () => ({ subject }),
});

describe('peerCertificateOf', () => {
  test('returns common name and organizations of a verified certificate', () => {
    expect(peerCertificateOf(socket(true, { CN: 'jane', O: 'ops' }))).toEqual({
      commonName: 'jane',
      organizations: ['ops'],
    });
    expect(peerCertificateOf(socket(true, { CN: ['old', 'jane'], O: ['ops', 'dev'] }))).toEqual({
      commonName: 'jane',
      organizations: ['ops', 'dev'],
    });
    expect(peerCertificateOf(socket(true, { CN: 'jane' }))?.organizations).toEqual([]);
  });

  test('returns nothing for an unverified certificate, whatever it contains', () => {
    expect(peerCertificateOf(socket(false, { CN: 'jane', O: 'system:masters' }))).toBeUndefined();
  });

  test('returns nothing without a common name, certificate or TLS', () => {
    expect(peerCertificateOf(socket(true, { O: 'ops' }))).toBeUndefined();
    expect(peerCertificateOf(socket(true, { CN: '' }))).toBeUndefined();
    expect(peerCertificateOf(socket(true, undefined))).toBeUndefined();
    expect(peerCertificateOf({ ...socket(true, {}), getPeerCertificate: () => null })).toBeUndefined();
    expect(peerCertificateOf({})).toBeUndefined();
    expect(peerCertificateOf(null)).toBeUndefined();
  });
});
