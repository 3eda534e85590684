import { once } from 'node:events';
import { createServer, request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { generate } from 'selfsigned';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { toNodeListener } from '../../src/node.js';
import { text, whole } from './support.js';

interface Pem {
  readonly private: string;
  readonly cert: string;
}

let serverPem: Pem;
let janePem: Pem;
let strangerPem: Pem;

beforeAll(async () => {
  const options = { keySize: 2048 as const };
  const jane = [
    { name: 'commonName', value: 'jane' },
    { name: 'organizationName', value: 'ops' },
  ];
  [serverPem, janePem, strangerPem] = await Promise.all([
    generate([{ name: 'commonName', value: 'localhost' }], options),
    generate(jane, options),
    generate(jane, options),
  ]);
});

const listener = toNodeListener((request) => text(JSON.stringify(request.peerCertificate ?? null)));

async function ask(server: Server, client: RequestOptions): Promise<unknown> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const request = httpsRequest({ host: '127.0.0.1', port, agent: false, rejectUnauthorized: false, ...client });
  request.end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Uint8Array>];
  return JSON.parse(await whole(response)) as unknown;
}

const tls = (): object => ({
  key: serverPem.private,
  cert: serverPem.cert,
  ca: [janePem.cert],
  requestCert: true,
  rejectUnauthorized: false,
});

test('the subject of a verified client certificate reaches the handler', async () => {
  const certificate = { key: janePem.private, cert: janePem.cert };
  expect(await ask(createServer(tls(), listener), certificate)).toEqual({ commonName: 'jane', organizations: ['ops'] });
});

test('a certificate of an unknown authority is ignored, like a missing one', async () => {
  const certificate = { key: strangerPem.private, cert: strangerPem.cert };
  expect(await ask(createServer(tls(), listener), certificate)).toBeNull();
  expect(await ask(createServer(tls(), listener), {})).toBeNull();
});

test('a server for both HTTP/2 and HTTP/1 passes the subject as well', async () => {
  const certificate = { key: janePem.private, cert: janePem.cert };
  const server = createSecureServer({ ...tls(), allowHTTP1: true }, listener);
  expect(await ask(server, certificate)).toEqual({ commonName: 'jane', organizations: ['ops'] });
});
