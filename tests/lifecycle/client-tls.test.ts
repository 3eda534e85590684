import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { constants, createSecureServer } from 'node:http2';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  httpTransport,
  isResponseError,
  isUnauthorized,
  kubeconfigTransport,
  type HttpTransportOptions,
} from '../../src/client.js';
import { toNodeListener } from '../../src/node.js';
import { fakeClock } from '../../src/testing.js';
import { respond, clientOver, closedLater, failureOf, folderOfTest, STORED } from './client-support.js';
import { event, eventsOfTest } from './events-api.js';

interface Pem {
  readonly private: string;
  readonly cert: string;
}

let serverPem: Pem;
let janePem: Pem;
let johnPem: Pem;

beforeAll(async () => {
  const keySize = 2048 as const;
  const person = (value: string): Promise<Pem> => generate([{ name: 'commonName', value }], { keySize });
  const extensions = [
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'kube.example' },
        { type: 2, value: 'localhost' },
      ],
    },
  ];
  [serverPem, janePem, johnPem] = await Promise.all([
    generate([{ name: 'commonName', value: 'kube.example' }], { keySize, extensions } as never),
    person('jane'),
    person('john'),
  ]);
});

/**
 * A certificate that an intermediate authority has signed, and one that another authority has signed for the same name.
 */
async function signedCertificates() {
  const keySize = 2048 as const;
  const authority = (value: string, ca?: { readonly key: string; readonly cert: string }): Promise<Pem> =>
    generate([{ name: 'commonName', value }], {
      keySize,
      extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
      ...(ca && { ca }),
    } as never);
  const server = (signer: Pem): Promise<Pem> =>
    generate([{ name: 'commonName', value: 'kube.example' }], {
      keySize,
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'kube.example' }] }],
      ca: { key: signer.private, cert: signer.cert },
    } as never);
  const [root, other] = await Promise.all([authority('root'), authority('other root')]);
  const intermediate = await authority('intermediate', { key: root.private, cert: root.cert });
  const [leaf, foreign] = await Promise.all([server(intermediate), server(other)]);
  return { leaf, chain: `${leaf.cert}\n${intermediate.cert}`, intermediate, foreign };
}

async function listenTo(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const tls = (): ServerOptions => ({
  key: serverPem.private,
  cert: serverPem.cert,
  ca: [janePem.cert, johnPem.cert],
  requestCert: true,
  rejectUnauthorized: false,
});

/** Responds with the name in the client's certificate. */
const whoAmI = (request: IncomingMessage, response: ServerResponse): void => {
  const socket = request.socket as TLSSocket;
  const name = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'nobody';
  respond(response, 200, { ...STORED, note: name });
};

const clientTo = (port: number, options: Partial<HttpTransportOptions>) =>
  clientOver(closedLater(httpTransport({ server: `https://127.0.0.1:${port}`, ...options })));

const trusted = () => ({ ca: serverPem.cert, serverName: 'kube.example' });

describe('TLS of a transport', () => {
  test('checks the certificate of the server, by authority and name', async () => {
    const port = await listenTo(createServer(tls(), whoAmI));
    for (const options of [{}, { ca: janePem.cert }, { ca: serverPem.cert }, { ...trusted(), serverName: 'other' }]) {
      const error = await failureOf(clientTo(port, { tls: options }).create(event('a') as never));
      expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    }
    expect(await clientTo(port, { tls: trusted() }).get({ name: 'a' })).toMatchObject({ note: 'nobody' });
    expect(await clientTo(port, { tls: { insecureSkipTlsVerify: true } }).get({ name: 'a' })).toMatchObject(STORED);
  });

  test('trusts the certificate of the server itself, or an intermediate, without the authority that signed it', async () => {
    const { leaf, chain, intermediate, foreign } = await signedCertificates();
    const key = leaf.private;
    const alone = await listenTo(createServer({ key, cert: leaf.cert }, whoAmI));
    const withChain = await listenTo(createServer({ key, cert: chain }, whoAmI));
    const get = (port: number, ca: string, serverName = 'kube.example') =>
      clientTo(port, { tls: { ca, serverName } }).get({ name: 'a' });
    expect(await get(alone, leaf.cert)).toMatchObject(STORED);
    expect(await get(alone, intermediate.cert)).toMatchObject(STORED);
    expect(await get(withChain, intermediate.cert)).toMatchObject(STORED);
    for (const refused of [get(alone, foreign.cert), get(withChain, foreign.cert), get(alone, leaf.cert, 'other')]) {
      expect(await failureOf(refused)).toMatchObject({ name: 'ConnectionError', sent: false });
    }
  });

  test('presents the certificate of the client', async () => {
    const port = await listenTo(createServer(tls(), whoAmI));
    const client = clientTo(port, { tls: { ...trusted(), cert: janePem.cert, key: janePem.private } });
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
  });

  /** A client whose kubeconfig names files of a certificate, which `write` replaces. */
  async function clientWithFiles(port: number) {
    const clock = fakeClock();
    const folder = folderOfTest();
    const write = (pem: Pem): void => {
      writeFileSync(join(folder, 'client.crt'), pem.cert);
      writeFileSync(join(folder, 'client.key'), pem.private);
    };
    write(janePem);
    writeFileSync(join(folder, 'ca.crt'), serverPem.cert);
    const config = {
      clusters: [
        {
          name: 'c',
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'certificate-authority': 'ca.crt',
            'tls-server-name': 'kube.example',
          },
        },
      ],
      users: [{ name: 'u', user: { 'client-certificate': 'client.crt', 'client-key': 'client.key' } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(join(folder, 'config'), JSON.stringify(config));
    const client = clientOver(closedLater(await kubeconfigTransport({ path: join(folder, 'config'), clock })));
    return { client, clock, folder, write };
  }

  test('presents the new certificate a minute after its files were replaced', async () => {
    const port = await listenTo(createServer(tls(), whoAmI));
    const { client, clock, folder, write } = await clientWithFiles(port);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
    write(johnPem);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
    clock.advance(60_000);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'john' });
    // Only one of the two files is replaced: no connection can be made, and both are read again a second later.
    writeFileSync(join(folder, 'client.crt'), janePem.cert);
    clock.advance(60_000);
    expect(await failureOf(client.create(event('a') as never))).toMatchObject({ name: 'ConnectionError', sent: false });
    write(janePem);
    clock.advance(1_000);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
  });

  test('names the file that has nothing in PEM, and keeps a certificate whose file was replaced by one', async () => {
    const port = await listenTo(createServer(tls(), whoAmI));
    const { client, clock, folder } = await clientWithFiles(port);
    writeFileSync(join(folder, 'ca.crt'), 'not a certificate');
    expect(await failureOf(client.create(event('a') as never))).toMatchObject({
      message: 'the certificate-authority cannot be read: it has nothing in PEM',
      sent: false,
    });
    writeFileSync(join(folder, 'ca.crt'), serverPem.cert);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
    writeFileSync(join(folder, 'client.key'), '-----BEG');
    clock.advance(60_000);
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
  });

  test('presents the new certificate after a 401, and sends the request once more', async () => {
    const seen: string[] = [];
    let valid = 'jane';
    const port = await listenTo(
      createServer(tls(), (request, response) => {
        const name = String((request.socket as TLSSocket).getPeerCertificate().subject.CN);
        seen.push(name);
        if (name === valid) respond(response, 200, STORED);
        else respond(response, 401, { kind: 'Status', reason: 'Unauthorized', code: 401 });
      }),
    );
    const { client, clock, write } = await clientWithFiles(port);
    await client.get({ name: 'a' });
    valid = 'john';
    // The files are not read again this soon.
    expect(await failureOf(client.create(event('a') as never))).toSatisfy(isUnauthorized);
    write(johnPem);
    clock.advance(2_000);
    expect(await client.create(event('a') as never)).toMatchObject(STORED);
    valid = 'jane';
    write(janePem);
    clock.advance(2_000);
    expect(await client.create(event('a') as never)).toMatchObject(STORED);
    expect(seen).toEqual(['jane', 'jane', 'john', 'john', 'jane']);
  });

  test('presents the new certificate of a program after a 401, and sends the request once more', async () => {
    const seen: string[] = [];
    const port = await listenTo(
      createServer(tls(), (request, response) => {
        const name = String((request.socket as TLSSocket).getPeerCertificate().subject.CN);
        seen.push(name);
        if (name === 'john') respond(response, 200, STORED);
        else respond(response, 401, { kind: 'Status', reason: 'Unauthorized', code: 401 });
      }),
    );
    const folder = folderOfTest();
    const apiVersion = 'client.authentication.k8s.io/v1';
    [janePem, johnPem].forEach((pem, index) => {
      const status = { clientCertificateData: pem.cert, clientKeyData: pem.private };
      writeFileSync(join(folder, `${index}.json`), JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
    });
    const script = `cat "${folder}/0.json"; cp "${folder}/1.json" "${folder}/0.json"`;
    const exec = { apiVersion, command: 'sh', args: ['-c', script] };
    const cluster = {
      server: `https://127.0.0.1:${port}`,
      'certificate-authority-data': btoa(serverPem.cert),
      'tls-server-name': 'kube.example',
    };
    const text = JSON.stringify({
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { exec } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    });
    const clock = fakeClock();
    const client = clientOver(closedLater(await kubeconfigTransport({ text, clock })));
    // The program is not run again this soon.
    expect(await failureOf(client.get({ name: 'a' }))).toSatisfy(isUnauthorized);
    clock.advance(2_000);
    expect(await client.get({ name: 'a' })).toMatchObject(STORED);
    expect(seen).toEqual(['jane', 'jane', 'john']);
  });
});

test.each([
  ['a server without TLS', () => createPlain(whoAmI), /: it does not speak TLS$/],
  [
    'a server with other versions of TLS',
    () => createServer({ ...tls(), maxVersion: 'TLSv1.1' as never }, whoAmI),
    /: TLS failed: [a-z0-9 ]*protocol version$/,
  ],
])('%s is not reached, for a reason in words', async (_, serverOf, reason) => {
  const port = await listenTo(serverOf());
  const error = await failureOf(clientTo(port, { tls: trusted() }).get({ name: 'a' }));
  expect(error).toMatchObject({ message: expect.stringMatching(reason), sent: false });
});

describe('HTTP/2', () => {
  test('carries requests and watches', async () => {
    const { events } = eventsOfTest();
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert, allowHTTP1: true });
    const versions = new Set<string>();
    server.on('request', (request, response) => {
      versions.add(request.httpVersion);
      toNodeListener(events.handle)(request as never, response as never);
    });
    const port = await listenTo(server);
    const client = clientTo(port, { tls: trusted(), http2: true });
    await client.create(event('a') as never);
    const seen: string[] = [];
    for await (const { type, object } of client.watch({ sendInitialEvents: true })) {
      seen.push(`${type} ${object.metadata.name}`);
      if (type === 'BOOKMARK') await client.delete({ name: 'a' });
      if (type === 'DELETED') break;
    }
    expect(seen).toEqual(['ADDED a', 'BOOKMARK undefined', 'DELETED a']);
    expect([...versions]).toEqual(['2.0']);
  });

  test('fails like HTTP/1.1 when a stream is reset in the middle of a response, so that a read is repeated', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    let asked = 0;
    server.on('stream', (stream, { ':method': method }) => {
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      if (++asked > 1 && method === 'GET') return void stream.end(JSON.stringify(STORED));
      stream.write(JSON.stringify(STORED).slice(0, 20));
      setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 20);
    });
    const port = await listenTo(server);
    const transport = closedLater(httpTransport({ server: `https://127.0.0.1:${port}`, http2: true, tls: trusted() }));
    const retry = { retries: 1, firstDelayMs: 1 };
    const client = clientOver(transport, { retry });
    expect(await client.get({ name: 'a' })).toMatchObject(STORED);
    expect(asked).toBe(2);
    expect(await failureOf(client.patch({ name: 'a' }, { type: 'merge', patch: {} }))).toMatchObject({
      name: 'ConnectionError',
      message: `the connection was closed before the response from https://127.0.0.1:${port} was complete`,
      sent: true,
    });
    expect(asked).toBe(3);
  });

  test('repeats a write whose stream the server refused, which it has not processed', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    let asked = 0;
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      if (++asked === 1) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(JSON.stringify(STORED));
    });
    const port = await listenTo(server);
    const transport = closedLater(httpTransport({ server: `https://127.0.0.1:${port}`, http2: true, tls: trusted() }));
    const patch = (retries: number) => {
      const retry = { retries, firstDelayMs: 1 };
      return clientOver(transport, { retry }).patch({ name: 'a' }, { type: 'merge', patch: {} });
    };
    expect(await failureOf(patch(0))).toMatchObject({
      name: 'ConnectionError',
      message: `127.0.0.1:${port} refused the request before it processed it`,
      sent: false,
    });
    asked = 0;
    expect(await patch(1)).toMatchObject(STORED);
    expect(asked).toBe(2);
  });

  test('has a connection for each watch, so that a watch delays no request', async () => {
    const { events } = eventsOfTest();
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert }, toNodeListener(events.handle));
    let sessions = 0;
    server.on('session', () => void sessions++);
    const port = await listenTo(server);
    const client = clientTo(port, { tls: trusted(), http2: true, maxConnections: 3 });
    const watches = [1, 2].map(() => client.watch({ sendInitialEvents: true })[Symbol.asyncIterator]());
    for (const frames of watches) await frames.next();
    await client.create(event('a') as never);
    expect(sessions).toBe(3);
    for (const frames of watches) await frames.return?.();
  });

  test('carries the name that is impersonated in the same bytes as HTTP/1.1: those of UTF-8', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert, allowHTTP1: true });
    const seen: unknown[] = [];
    server.on('request', ({ headers, httpVersion }, response) => {
      const bytes = ['impersonate-user', 'impersonate-uid', 'impersonate-group', 'impersonate-extra-%c3%a4%28b%29'].map(
        (name) => Buffer.from(String(headers[name]), 'latin1').toString('utf8'),
      );
      seen.push([httpVersion, ...bytes]);
      respond(response as never, 200, STORED);
    });
    const port = await listenTo(server);
    const impersonate = { name: 'jürgen', uid: '日本', groups: ['größe', 'a'], extra: { 'ä(b)': ['é'] } };
    for (const http2 of [false, true]) await clientTo(port, { tls: trusted(), http2, impersonate }).get({ name: 'a' });
    const expected = ['jürgen', '日本', 'größe, a', 'é'];
    expect(seen).toEqual([
      ['1.1', ...expected],
      ['2.0', ...expected],
    ]);
  });

  test('leaves the server unread while the reader of a watch is slow', async () => {
    const frame = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a', annotations: { a: 'x'.repeat(10_000) } } } })}\n`;
    let written = 0;
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    server.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      const write = (): void => {
        let more = true;
        while (more && !stream.destroyed) {
          more = stream.write(frame);
          written += frame.length;
        }
        if (!stream.destroyed) stream.once('drain', write);
      };
      write();
    });
    const port = await listenTo(server);
    const frames = clientTo(port, { tls: trusted(), http2: true }).watch()[Symbol.asyncIterator]();
    await frames.next();
    let before = -1;
    while (written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(20_000_000);
    for (let index = 0; index < 1_000; index++) await frames.next();
    expect(written).toBeGreaterThan(before);
    await frames.return?.();
  });

  test('closes an idle connection after keepAliveMs', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(JSON.stringify(STORED));
    });
    const ended = new Promise((closed) => server.on('session', (session) => session.once('close', closed)));
    const port = await listenTo(server);
    const client = clientTo(port, { tls: trusted(), http2: true, keepAliveMs: 200 });
    await client.get({ name: 'a' });
    expect(await Promise.race([ended.then(() => 'closed'), delay(5_000, 'open')])).toBe('closed');
    expect(await client.get({ name: 'a' })).toMatchObject(STORED);
  });

  test.each([1, 128])('leaves a connection without a response, with maxConnections: %i', async (maxConnections) => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    let sessions = 0;
    server.on('session', (session) => {
      const isSilent = ++sessions % 2 === 1;
      session.on('error', () => undefined);
      session.on('stream', (stream) => {
        stream.on('error', () => undefined);
        if (isSilent) return;
        stream.respond({ ':status': 200, 'content-type': 'application/json' });
        stream.end(JSON.stringify(STORED));
      });
    });
    const port = await listenTo(server);
    const client = clientTo(port, { tls: trusted(), http2: true, maxConnections });
    expect(await failureOf(client.get({ name: 'a' }, { timeoutMs: 300 }))).toMatchObject({ name: 'ConnectionError' });
    expect(await client.get({ name: 'a' }, { timeoutMs: 5_000 })).toMatchObject(STORED);
    expect(sessions).toBe(2);
  });

  test('reports of a connection that was not made that nothing was sent, each time', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    const port = await listenTo(server);
    const untrusting = clientTo(port, { http2: true });
    const refused = clientTo(1, { tls: trusted(), http2: true });
    for (const client of [untrusting, refused, untrusting, refused]) {
      expect(await failureOf(client.create(event('a') as never))).toMatchObject({
        message: expect.stringMatching(/was not reached: (self-signed certificate|connect ECONNREFUSED)/) as unknown,
        sent: false,
      });
    }
  });

  test('limits the headers of a response', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert });
    server.on('stream', (stream, { ':path': path }) => {
      const long = 'x'.repeat(path?.endsWith('/long') ? 2_000 : 1_000);
      stream.respond({ ':status': 200, 'content-type': 'application/json', long });
      stream.end(JSON.stringify(STORED));
    });
    const port = await listenTo(server);
    const client = clientTo(port, { tls: trusted(), http2: true, maxHeaderBytes: 2_000 });
    const error = await failureOf(client.get({ name: 'long' }));
    expect(error).toSatisfy(isResponseError);
    expect(error.message).toMatch(/did not respond with HTTP: Headers Overflow Error$/);
    expect(await client.get({ name: 'a' })).toMatchObject(STORED);
  });

  test('is not used unless the option http2 is set', async () => {
    const server = createSecureServer({ key: serverPem.private, cert: serverPem.cert, allowHTTP1: true });
    server.on('request', (request, response) => {
      respond(response as never, 200, { ...STORED, note: request.httpVersion });
    });
    const port = await listenTo(server);
    expect(await clientTo(port, { tls: trusted() }).get({ name: 'a' })).toMatchObject({ note: '1.1' });
  });
});

describe('a proxy', () => {
  test('carries the connection, and gets its own password but no credential of the requests', async () => {
    const port = await listenTo(createServer(tls(), whoAmI));
    const asked: unknown[] = [];
    const proxy = createPlain();
    proxy.on('connect', (request, socket) => {
      asked.push([request.url, request.headers['proxy-authorization'], request.headers.authorization]);
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
    const proxyPort = await listenTo(proxy);
    const client = clientTo(port, {
      tls: { ...trusted(), cert: janePem.cert, key: janePem.private },
      token: 'secret',
      proxyUrl: `http://me:pass@127.0.0.1:${proxyPort}`,
    });
    expect(await client.get({ name: 'a' })).toMatchObject({ note: 'jane' });
    expect(asked).toEqual([[`127.0.0.1:${port}`, `Basic ${btoa('me:pass')}`, undefined]]);
  });

  test('that refuses causes a ConnectionError with the text that nothing was sent', async () => {
    const proxy = createPlain();
    proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
    const proxyPort = await listenTo(proxy);
    const client = clientTo(1, { tls: trusted(), proxyUrl: `http://me:top-secret@127.0.0.1:${proxyPort}` });
    const error = await failureOf(client.create(event('a') as never));
    expect(error).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(`${error.message} ${String(error.cause)}`).not.toContain('top-secret');
  });

  test.each([
    ['closes', (socket: Duplex) => socket.end()],
    ['resets', (socket: Duplex) => (socket as Socket).resetAndDestroy()],
    ['cuts its response and closes', (socket: Duplex) => socket.end('HTTP/1.1 200 Conn')],
  ])('that %s the connection gets one request for each attempt', async (_, leave) => {
    let asked = 0;
    const proxy = createPlain();
    proxy.on('connect', (_request, socket) => {
      asked += 1;
      leave(socket);
    });
    const proxyPort = await listenTo(proxy);
    const client = clientTo(1, { tls: trusted(), proxyUrl: `http://127.0.0.1:${proxyPort}` });
    expect(await failureOf(client.create(event('a') as never))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(asked).toBe(1);
  });

  test('that sends something before the first request gets one request for each attempt', async () => {
    let asked = 0;
    const proxy = createPlain();
    proxy.on('connect', (_request, socket) => {
      asked += 1;
      socket.write('HTTP/1.1 200 Connection established\r\n\r\nSSH-2.0-OpenSSH_9.9\r\n');
    });
    const proxyPort = await listenTo(proxy);
    const transport = httpTransport({ server: 'http://127.0.0.1:1', proxyUrl: `http://127.0.0.1:${proxyPort}` });
    const client = clientOver(closedLater(transport), { timeoutMs: 1_000 });
    expect(await failureOf(client.create(event('a') as never))).toMatchObject({
      message: '127.0.0.1:1 was not reached: the proxy sent something before the first request',
      sent: false,
    });
    expect(asked).toBe(1);
  });

  test('that does not respond is abandoned after connectTimeoutMs, and another attempt gets the connection', async () => {
    let asked = 0;
    const proxy = createPlain();
    proxy.on('connect', (_request, socket) => {
      asked += 1;
      if (asked > 1) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const proxyPort = await listenTo(proxy);
    const transport = { tls: trusted(), proxyUrl: `http://127.0.0.1:${proxyPort}`, connectTimeoutMs: 500.5 };
    const client = clientTo(1, { ...transport, maxConnections: 1 });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(await failureOf(client.get({ name: 'a' }))).toMatchObject({ name: 'ConnectionError', sent: false });
    expect(asked).toBe(2);
  });

  test.each([
    ['token', 'token:'],
    ['token:', 'token:'],
    [':secret', ':secret'],
    ['a%40b:c%3Ad', 'a@b:c:d'],
  ])('gets the credentials %s of its address', async (given, sent) => {
    const asked: unknown[] = [];
    const proxy = createPlain();
    proxy.on('connect', (request, socket) => {
      asked.push(request.headers['proxy-authorization']);
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    });
    const proxyPort = await listenTo(proxy);
    const proxyUrl = `http://${given}@127.0.0.1:${proxyPort}`;
    await failureOf(clientTo(1, { tls: trusted(), proxyUrl }).get({ name: 'a' }));
    expect(asked).toEqual([`Basic ${btoa(sent)}`]);
  });

  test.each(['%:x', 'x:%f', '%ff:x'])('whose credentials %s cannot be decoded is refused at once', (given) => {
    expect(() => httpTransport({ server: 'https://127.0.0.1', proxyUrl: `http://${given}@127.0.0.1` })).toThrow(
      new TypeError('httpTransport: proxyUrl must be an http or https URL'),
    );
  });
});
