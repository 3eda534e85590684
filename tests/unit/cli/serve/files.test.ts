import { X509Certificate, createPrivateKey, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { adminToken } from '../../../../src/cli/serve/preparation.js';
import { banner } from '../../../../src/cli/serve/banner.js';
import { givenCertificate, ownCertificate } from '../../../../src/cli/serve/certificates.js';
import { sqliteAt } from '../../../../src/cli/stores/store-url.js';
import { kubeconfig } from '../../../../src/cli/serve/kubeconfig.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'standalone-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const mode = (name: string): number => statSync(join(dir, name)).mode & 0o777;
const DAY = 86_400_000;

describe('adminToken', () => {
  it('is created once, readable by its owner only, and then kept', async () => {
    const token = await adminToken(join(dir, 'new'));
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(mode('new/admin-token')).toBe(0o600);
    expect(mode('new')).toBe(0o700);
    expect(await adminToken(join(dir, 'new'))).toBe(token);
  });

  it.each([['nothing'], ['only zeros', '\0\0\0\0']])(
    'is created again if a crash has left %s',
    async (_, content = '') => {
      writeFileSync(join(dir, 'admin-token'), content);
      expect(await adminToken(dir)).toMatch(/^[\w-]{43}$/);
      expect(await adminToken(dir)).toBe(readFileSync(join(dir, 'admin-token'), 'utf8').trim());
    },
  );

  it('refuses a file that contains no token', async () => {
    writeFileSync(join(dir, 'admin-token'), '\n');
    await expect(adminToken(dir)).rejects.toThrow(/contains no usable token/);
  });
});

describe('ownCertificate', () => {
  it('creates an authority and a certificate for loopback, with private keys', async () => {
    const made = await ownCertificate(dir, '127.0.0.1');
    const server = new X509Certificate(made.cert);
    const ca = new X509Certificate(made.ca);
    expect(ca.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.verify(ca.publicKey)).toBe(true);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkIP('::1')).toBeDefined();
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(mode('ca.key')).toBe(0o600);
    expect(mode('server.key')).toBe(0o600);
  });

  it.each([
    ['0.0.0.0', false],
    ['::', false],
    ['192.0.2.1', true],
  ])('names the address that it listens on, unless that is every address: %s', async (address, isNamed) => {
    const { cert } = await ownCertificate(dir, address);
    expect(new X509Certificate(cert).checkIP(address) !== undefined).toBe(isNamed);
  });

  it('can be used after the clock was months ahead when it was created', async () => {
    const made = await ownCertificate(dir, '127.0.0.1', Date.now() + 300 * DAY);
    for (const pem of [made.cert, made.ca]) {
      expect(Date.parse(new X509Certificate(pem).validFrom)).toBeLessThan(Date.now());
    }
  });

  it('is created again, under the same authority, if the clock was years ahead when it was created', async () => {
    const ahead = await ownCertificate(dir, '127.0.0.1', Date.now() + 800 * DAY);
    for (const current of [undefined, ahead]) {
      const made = await ownCertificate(dir, '127.0.0.1', Date.now(), undefined, current);
      expect(Date.parse(new X509Certificate(made.cert).validFrom)).toBeLessThan(Date.now());
      expect(made.ca).toBe(ahead.ca);
    }
  });

  it('keeps its authority while the clock is decades behind, as before it is set', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    expect((await ownCertificate(dir, '127.0.0.1', 0)).ca).toBe(first.ca);
    expect((await ownCertificate(dir, '127.0.0.1')).ca).toBe(first.ca);
  });

  it('names the keys of both certificates, without which clients that verify strictly refuse them', async () => {
    const made = await ownCertificate(dir, '127.0.0.1');
    for (const pem of [made.cert, made.ca]) {
      const { raw } = new X509Certificate(pem);
      expect(raw.includes(Buffer.from('0603551d0e', 'hex')), 'subjectKeyIdentifier').toBe(true);
      expect(raw.includes(Buffer.from('0603551d23', 'hex')), 'authorityKeyIdentifier').toBe(true);
    }
  });

  it('ends its files with a line break, so that they can be concatenated', async () => {
    await ownCertificate(dir, '127.0.0.1');
    for (const name of ['ca.crt', 'ca.key', 'server.crt', 'server.key']) {
      expect(readFileSync(join(dir, name), 'utf8'), name).toMatch(/^-----BEGIN [^]+\n-----END [A-Z ]+-----\n$/);
    }
  });

  it('is reused at the next start', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    expect(await ownCertificate(dir, '127.0.0.1')).toEqual(first);
  });

  it('is renewed under the same authority before it ends, and for another address', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    const later = await ownCertificate(dir, '127.0.0.1', Date.now() + 350 * DAY);
    expect(later.cert).not.toBe(first.cert);
    expect(later.ca).toBe(first.ca);
    const other = await ownCertificate(dir, '192.0.2.7', Date.now() + 350 * DAY);
    expect(new X509Certificate(other.cert).checkIP('192.0.2.7')).toBe('192.0.2.7');
    expect(other.ca).toBe(first.ca);
  });

  it('gets a new authority when the old one expires', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    const later = await ownCertificate(dir, '127.0.0.1', Date.now() + 3640 * DAY);
    expect(later.ca).not.toBe(first.ca);
    expect(new X509Certificate(later.cert).verify(new X509Certificate(later.ca).publicKey)).toBe(true);
  });

  it.each(['ca.crt', 'ca.key', 'server.crt', 'server.key'])(
    'recovers from a crash that has left it without %s, with an empty one, or with half of it',
    async (name) => {
      for (const content of [undefined, '', 'half']) {
        await ownCertificate(dir, '127.0.0.1');
        const whole = readFileSync(join(dir, name), 'utf8');
        if (content === undefined) rmSync(join(dir, name));
        else writeFileSync(join(dir, name), whole.slice(0, content.length * 25));
        const made = await ownCertificate(dir, '127.0.0.1');
        expect(new X509Certificate(made.cert).verify(new X509Certificate(made.ca).publicKey)).toBe(true);
        expect(await ownCertificate(dir, '127.0.0.1')).toEqual(made);
      }
    },
  );

  it('removes keys that interrupted writes have left beside it', async () => {
    const made = await ownCertificate(dir, '127.0.0.1');
    const left = join(dir, `ca.key.${randomUUID()}`);
    writeFileSync(left, 'a key');
    utimesSync(left, 0, 0);
    expect(await ownCertificate(dir, '127.0.0.1')).toEqual(made);
    expect(existsSync(left)).toBe(false);
  });

  it('is created again when a file is damaged', async () => {
    const first = await ownCertificate(dir, '127.0.0.1');
    writeFileSync(join(dir, 'server.key'), 'damaged');
    const second = await ownCertificate(dir, '127.0.0.1');
    expect(second.cert).not.toBe(first.cert);
    expect(second.ca).toBe(first.ca);
  });
});

describe('givenCertificate', () => {
  it('accepts a certificate with its key and trusts it', async () => {
    const made = await ownCertificate(dir, '127.0.0.1');
    const given = await givenCertificate(join(dir, 'server.crt'), join(dir, 'server.key'));
    expect(given).toEqual({ cert: made.cert, key: made.key, ca: made.cert });
  });

  it('names the file that is missing or does not fit', async () => {
    await ownCertificate(dir, '127.0.0.1');
    const path = (name: string): string => join(dir, name);
    await expect(givenCertificate(path('nope'), path('server.key'))).rejects.toThrow(
      '--tls-cert-file: there is no file',
    );
    await expect(givenCertificate(path('server.crt'), path('nope'))).rejects.toThrow(
      '--tls-private-key-file: there is no',
    );
    await expect(givenCertificate(path('server.crt'), path('ca.key'))).rejects.toThrow(/is not the PEM key/);
    await expect(givenCertificate(dir, path('server.key'))).rejects.toThrow(
      `cannot read ${dir}: it is a directory (EISDIR); give another file with --tls-cert-file`,
    );
    await expect(givenCertificate(path('server.crt'), dir)).rejects.toThrow(
      'give another file with --tls-private-key-file',
    );
    const key = createPrivateKey(readFileSync(path('server.key')));
    for (const type of ['pkcs8', 'sec1'] as const) {
      writeFileSync(path('secret.key'), key.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }));
      await expect(givenCertificate(path('server.crt'), path('secret.key'))).rejects.toThrow(
        `${path('secret.key')} is encrypted: give a key without a passphrase`,
      );
    }
  });
});

describe('kubeconfig', () => {
  it('points to the server with its authority and token', () => {
    const text = kubeconfig({ server: 'https://[::1]:6443', ca: 'PEM', token: 'yes: "no"' });
    expect(parse(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'kube-vitals',
          cluster: {
            server: 'https://[::1]:6443',
            'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          },
        },
      ],
      users: [{ name: 'admin', user: { token: 'yes: "no"' } }],
      contexts: [{ name: 'kube-vitals', context: { cluster: 'kube-vitals', user: 'admin', namespace: 'default' } }],
      'current-context': 'kube-vitals',
    });
  });
});

describe('banner', () => {
  const flags = {
    apiDomain: 'example.com',
    dataDir: '/my data',
    certDir: "/d/it's",
    tlsCertFile: undefined,
    anonymousAuth: true,
    authorizationMode: 'AlwaysAllow',
  } as const;
  const addresses = {
    secureUrl: 'https://127.0.0.1:6443',
    insecureUrl: 'http://127.0.0.1:8080',
    insecureHealthOnly: false,
  };
  const stored = { choice: sqliteAt('/d/events.db') };
  const memory = { choice: { kind: 'memory', shown: 'memory' } } as const;

  it('quotes arguments for a shell', () => {
    const text = banner(flags, addresses, stored);
    expect(text).toContain("kubectl --kubeconfig '/my data/kubeconfig' get events.events.example.com -A -w");
    expect(text).toContain("--cacert '/d/it'\\''s/ca.crt'");
    expect(text).toContain("curl 'http://127.0.0.1:8080/readyz?verbose'");
    expect(text).toMatch(/ https:\/\/127\.0\.0\.1:6443\/apis\/events\.example\.com\/v1\/events$/m);
    // To zsh, brackets are a pattern.
    const overIPv6 = banner(flags, { ...addresses, secureUrl: 'https://[::1]:6443' }, stored);
    expect(overIPv6).toMatch(/ 'https:\/\/\[::1\]:6443\/apis\/events\.example\.com\/v1\/events'$/m);
  });

  it('shows where events are stored', () => {
    expect(banner(flags, addresses, stored)).toContain('Events are kept in /d/events.db and survive a restart.');
    expect(banner(flags, addresses, memory)).toMatch(
      /^kube-vitals serves .*\nEvents are kept in memory and are lost when the server ends\.\n\n {2}Health:\n/,
    );
  });

  it('names files by absolute paths, for a shell in another directory', () => {
    const relative = { ...flags, dataDir: './data', certDir: 'data/certs' };
    const text = banner(relative, addresses, { choice: sqliteAt('data/events.db') });
    for (const name of ['kubeconfig', 'admin-token', 'certs/ca.crt', 'events.db']) {
      const path = resolve('data', name);
      // A shell needs quotes around a path with a space.
      expect([` ${path}`, ` '${path}'`].some((word) => text.includes(word))).toBe(true);
    }
  });

  it('explains how to keep events if they are in memory by default', () => {
    expect(banner(flags, addresses, { ...memory, keepAdvice: 'To keep them, do this.' })).toContain(
      'Events are kept in memory and are lost when the server ends.\nTo keep them, do this.\n',
    );
  });

  it('reports that the HTTP port serves health only, if it does', () => {
    const text = banner(flags, { ...addresses, insecureHealthOnly: true }, stored);
    expect(text).toMatch(/^kube-vitals serves events\.example\.com\/v1 on https:\/\/127\.0\.0\.1:6443\n/);
    expect(text).toContain('http://127.0.0.1:8080 serves health only and accepts no token');
    expect(text).toContain("curl 'http://127.0.0.1:8080/readyz?verbose'");
  });

  it.each([
    ['--anonymous-auth=false', { anonymousAuth: false }, 'It responds with 401, because of --anonymous-auth=false.'],
    ['ABAC', { authorizationMode: 'ABAC' }, 'It responds with 403 unless a policy allows these paths to'],
  ] as const)('shows how to request health with the token that %s requires', (_, more, note) => {
    const token = `-H "Authorization: Bearer $(cat '/my data/admin-token')"`;
    const onLoopback = banner({ ...flags, ...more }, addresses, stored);
    expect(onLoopback).toContain(`    curl ${token} 'http://127.0.0.1:8080/readyz?verbose'\n`);
    expect(onLoopback).not.toContain('It responds with');
    const healthOnly = banner({ ...flags, ...more }, { ...addresses, insecureHealthOnly: true }, stored);
    expect(healthOnly).toContain(
      `    curl --cacert '/d/it'\\''s/ca.crt' ${token} 'https://127.0.0.1:6443/readyz?verbose'\n`,
    );
    expect(healthOnly).toContain(`not on loopback.\n${note}`);
  });

  it('omits the HTTP port if it is off', () => {
    expect(banner(flags, { ...addresses, insecureUrl: undefined }, stored)).not.toContain('http://');
  });
});

it('nothing is written but the files that are named', async () => {
  await ownCertificate(join(dir, 'certs'), '127.0.0.1');
  expect(readFileSync(join(dir, 'certs', 'ca.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
});
