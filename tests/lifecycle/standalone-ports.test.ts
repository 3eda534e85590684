import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createApiServer, createEvents, createHealth, memoryStore } from 'kube-vitals';
import { toNodeListener } from 'kube-vitals/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { standaloneAccess } from '../../src/cli/serve/access.js';
import { certificateInUse, type CertificateInUse } from '../../src/cli/serve/certificate-in-use.js';
import { ownCertificate, type ServingCertificate } from '../../src/cli/serve/certificates.js';
import { parseCommandLine } from '../../src/cli/command-line/parse-command-line.js';
import { serveFlags, completeFlags } from '../../src/cli/serve/flags.js';
import { healthOnly } from '../../src/cli/serve/health-only.js';
import { isLoopback, openServers, type Servers } from '../../src/cli/serve/servers.js';

const TOKEN = 'admin-token-of-this-test';
const EVENTS = '/apis/events.example.com/v1/namespaces/default/events';

let dir = '';
let certificate: ServingCertificate;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'standalone-'));
  certificate = await ownCertificate(dir, '127.0.0.1');
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Opens the ports as the standalone server does, on free numbers. */
async function open(
  ...argv: string[]
): Promise<Servers & { readonly log: string[]; readonly inUse: CertificateInUse }> {
  const words = ['--secure-port=0', '--insecure-port=0', ...argv];
  const parsed = parseCommandLine(serveFlags, [], words);
  if (!('flags' in parsed)) throw new Error(JSON.stringify(parsed));
  const flags = completeFlags(parsed.flags);
  const access = standaloneAccess(flags, { adminToken: TOKEN });
  const store = memoryStore();
  const health = createHealth({ ...access, roots: 'authorized' });
  const events = createEvents({ ...access, apiDomain: 'example.com', store });
  const { handle } = createApiServer({ ...access, health, events });
  const log: string[] = [];
  const inUse = certificateInUse(certificate);
  const listeners = { all: toNodeListener(handle), healthOnly: toNodeListener(healthOnly(handle)) };
  const servers = await openServers(flags, inUse, listeners, (line) => void log.push(line));
  onTestFinished(async () => {
    await servers.close(0);
    health.close();
    await events.close();
    await store.close();
  });
  return { ...servers, log, inUse };
}

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

async function ask(url: string, options: RequestOptions = {}): Promise<HttpResponse> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(url, { agent: false, ca: certificate.ca, ...options });
  request.end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return { status: response.statusCode, text };
}

const asAdmin = { headers: { authorization: `Bearer ${TOKEN}` } };

describe('the HTTP port', () => {
  test('serves everything on loopback, with tokens', async () => {
    const { insecureUrl = '', insecureHealthOnly } = await open();
    expect(insecureHealthOnly).toBe(false);
    expect((await ask(insecureUrl + EVENTS, asAdmin)).status).toBe(200);
    expect((await ask(`${insecureUrl}/readyz`)).text).toBe('ok');
  });

  test('serves health only and takes no token on any other address', async () => {
    const { insecureUrl = '', secureUrl, insecureHealthOnly } = await open('--bind-address=0.0.0.0');
    expect(insecureHealthOnly).toBe(true);
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(await ask(insecureUrl + path)).toEqual({ status: 200, text: 'ok' });
      expect(await ask(insecureUrl + path, asAdmin)).toEqual({ status: 200, text: 'ok' });
    }
    // A token would have the right to a single check.
    expect((await ask(`${insecureUrl}/readyz/ping`, asAdmin)).text).toContain('system:anonymous');
    for (const path of [EVENTS, '/apis', '/version', '/', `/api/v1/events?x=/livez`]) {
      const refused = await ask(insecureUrl + path, asAdmin);
      expect(refused.status).toBe(403);
      expect(JSON.parse(refused.text)).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
      expect(refused.text).toContain('use the HTTPS port');
    }
    expect((await ask(secureUrl + EVENTS, asAdmin)).status).toBe(200);
  });

  test('serves everything on any address with the explicit flag', async () => {
    const { insecureUrl = '', insecureHealthOnly } = await open(
      ...['--bind-address=0.0.0.0', '--insecure-port-accepts-credentials-in-the-clear'],
    );
    expect(insecureHealthOnly).toBe(false);
    expect((await ask(insecureUrl + EVENTS, asAdmin)).status).toBe(200);
  });

  test('recognises loopback addresses in any notation', () => {
    for (const address of ['127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1']) expect(isLoopback(address)).toBe(true);
    for (const address of ['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::ffff:10.0.0.1', 'fe80::1']) {
      expect(isLoopback(address)).toBe(false);
    }
  });
});

describe('the HTTPS port', () => {
  test('serves health to a local client that does not verify the certificate', async () => {
    const { secureUrl } = await open();
    const unverified = { ca: undefined, rejectUnauthorized: false };
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(await ask(secureUrl + path, unverified)).toEqual({ status: 200, text: 'ok' });
    }
    const verbose = await ask(`${secureUrl}/readyz?verbose`, unverified);
    expect(verbose.text).toMatch(/^\[\+\]ping ok\n[^]*healthz check passed\n$/);
    // The same request of a client that verifies and does not trust the authority ends before it is sent.
    await expect(ask(`${secureUrl}/livez`, { ca: undefined })).rejects.toMatchObject({
      code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO/) as string,
    });
  });

  test('serves verbose output to a client from elsewhere that shows a credential', async () => {
    const { secureUrl } = await open('--bind-address=0.0.0.0', '--anonymous-auth=false');
    expect((await ask(`${secureUrl}/readyz?verbose`)).status).toBe(401);
    expect((await ask(`${secureUrl}/readyz?verbose`, asAdmin)).text).toContain('[+]ping ok\n');
  });
});

describe('a connection before authentication', () => {
  test('may send headers of 64 KiB and no more, on both ports', async () => {
    const { insecureUrl = '', secureUrl } = await open();
    for (const url of [insecureUrl, secureUrl]) {
      // Node responds with 431 and closes at once; unread bytes may reset the connection before the client has read the
      // response.
      const statusOf = (path: string, more: RequestOptions = {}): Promise<number> =>
        ask(url + path, more).then(
          ({ status }) => status,
          () => 431,
        );
      const long = (bytes: number) => statusOf('/livez', { headers: { 'x-long': 'x'.repeat(bytes) } });
      expect(await long(60_000)).toBe(200);
      expect(await long(70_000)).toBe(431);
      expect(await statusOf(`/readyz?exclude=${'a'.repeat(60_000)}`)).toBe(200);
      expect(await statusOf(`/readyz?exclude=${'a'.repeat(70_000)}`)).toBe(431);
    }
  });

  test('is closed and logged beyond --max-connections', async () => {
    const { insecureUrl = '', log } = await open('--max-connections=2');
    const port = Number(new URL(insecureUrl).port);
    const sockets: Socket[] = [];
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    for (let count = 0; count < 2; count += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      await once(socket, 'connect');
    }
    for (let count = 0; count < 3; count += 1) {
      const refused = connect(port, '127.0.0.1').on('error', () => undefined);
      await once(refused, 'close');
    }
    expect(log).toEqual(['--insecure-port: connections are closed, because 2 are open (--max-connections)']);
    sockets.shift()?.destroy();
    await expect
      .poll(() =>
        ask(`${insecureUrl}/livez`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  test('uses HTTP/1.1 even if the client offers HTTP/2', async () => {
    const { secureUrl } = await open();
    const socket = connectTls({
      port: Number(new URL(secureUrl).port),
      ca: certificate.ca,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe('http/1.1');
  });
});
