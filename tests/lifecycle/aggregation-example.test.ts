import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const EVENTS = '/apis/events.example.com/v1/namespaces/shop/events';

type Pem = Awaited<ReturnType<typeof generate>>;

const certificateOf = (name: string, authority?: Pem): Promise<Pem> =>
  generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(authority && { ca: { cert: authority.cert, key: authority.private } }),
    extensions: authority
      ? [{ name: 'extKeyUsage', clientAuth: true, serverAuth: true }]
      : [{ name: 'basicConstraints', cA: true, critical: true }],
  });

let directory: string;
let cluster: Server;
/** What the service asked the cluster, which allows everything to who is named jane. */
const reviews: unknown[] = [];
let child: ReturnType<typeof spawn>;
let port: number;
let frontProxy: Pem;
let otherName: Pem;
let otherAuthority: Pem;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kube-vitals-aggregation-'));
  const [authority, foreign] = await Promise.all([certificateOf('front-proxy-ca'), certificateOf('other-ca')]);
  frontProxy = await certificateOf('front-proxy-client', authority);
  otherName = await certificateOf('jane', authority);
  otherAuthority = await certificateOf('front-proxy-client', foreign);
  cluster = createServer((req, res) => {
    const respond = (body: object): void => void res.end(JSON.stringify(body));
    if (req.method === 'GET') {
      const names = '["front-proxy-client"]';
      respond({ data: { 'requestheader-client-ca-file': authority.cert, 'requestheader-allowed-names': names } });
      return;
    }
    void json(req).then((review) => {
      const { spec } = review as { spec: { user: string } };
      reviews.push(spec);
      respond({ status: { allowed: spec.user === 'jané' } });
    });
  });
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'cluster', users: [] },
    clusters: [{ name: 'cluster', cluster: { server: `http://127.0.0.1:${(cluster.address() as AddressInfo).port}` } }],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: '' } }],
  };
  const pathOf = (name: string): string => join(directory, name);
  await writeFile(pathOf('kubeconfig'), JSON.stringify(config));
  await writeFile(pathOf('tls.crt'), frontProxy.cert);
  await writeFile(pathOf('tls.key'), frontProxy.private);
  const files = { KUBECONFIG: pathOf('kubeconfig'), TLS_CERT: pathOf('tls.crt'), TLS_KEY: pathOf('tls.key') };
  child = spawn(process.execPath, ['--import', 'tsx', 'examples/aggregated/main.ts'], {
    cwd: root,
    env: { ...process.env, ...files, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  port = await new Promise<number>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (piece: string) => {
        output += piece;
        const found = /on port (\d+)/.exec(output)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
    }
    child.once('exit', () => reject(new Error(`the example ended: ${output}`)));
  });
});

afterAll(async () => {
  child.kill('SIGKILL');
  cluster.closeAllConnections();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => void (reviews.length = 0));

/** Sends a request of the front proxy for a user, with a client certificate. */
async function send(path: string, pem: Pem | undefined, headers: Record<string, string | string[]> = {}) {
  const given = { rejectUnauthorized: false, agent: false, ...(pem && { cert: pem.cert, key: pem.private }) };
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, ...given }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

// Go sends UTF-8 in headers.
const jane = { 'x-remote-user': Buffer.from('jané').toString('latin1') };

test('the front proxy acts as the user of its headers, whose rights the rules of the cluster decide', async () => {
  const headers = {
    ...jane,
    'x-remote-uid': '42',
    'x-remote-group': ['readers, system:masters', 'system:authenticated'],
    'x-remote-extra-example.com%2fscopes': ['view', 'edit'],
  };
  const { status, body } = await send(`${EVENTS}?limit=1`, frontProxy, headers);
  expect([status, JSON.parse(body)]).toMatchObject([200, { kind: 'EventList' }]);
  expect(reviews).toEqual([
    {
      user: 'jané',
      uid: '42',
      // One group: whoever is in it is not in system:masters.
      groups: ['readers, system:masters', 'system:authenticated'],
      extra: { 'example.com/scopes': ['view', 'edit'] },
      resourceAttributes: {
        verb: 'list',
        group: 'events.example.com',
        version: 'v1',
        resource: 'events',
        namespace: 'shop',
      },
    },
  ]);
  expect((await send('/apis/events.example.com/v1', frontProxy, jane)).status).toBe(200);
  expect(reviews[1]).toMatchObject({ nonResourceAttributes: { verb: 'get', path: '/apis/events.example.com/v1' } });
});

test('a user whom the cluster refuses gets 403', async () => {
  const { status, body } = await send(EVENTS, frontProxy, { 'x-remote-user': 'joe' });
  expect([status, JSON.parse(body)]).toMatchObject([403, { reason: 'Forbidden' }]);
});

test('headers without the certificate of the front proxy name nobody, and the cluster is not asked', async () => {
  for (const pem of [undefined, otherName, otherAuthority]) {
    expect((await send(EVENTS, pem, jane)).status).toBe(401);
  }
  expect((await send(EVENTS, frontProxy)).status).toBe(401);
  expect(reviews).toEqual([]);
});

test('probes need no certificate', async () => {
  expect(await send('/readyz', undefined)).toEqual({ status: 200, body: 'ok' });
});

test('SIGTERM ends the service although it has connections to the cluster', async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
