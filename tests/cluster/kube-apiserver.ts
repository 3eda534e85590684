import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { Agent, request as send } from 'undici';
import { stringify } from 'yaml';
import { httpTransport, type ConnectedTransport } from '../../src/client.js';
import { startEtcd, type Cluster } from '../engines/etcd/cluster.js';
import type { KillableServer } from '../engines/support/disturbed-server.js';
import { ownProcess } from '../engines/support/processes.js';

/** The kube-apiserver of Kubernetes over an etcd of its own. */
export interface KubeApiserver extends KillableServer {
  readonly etcd: Cluster;
  /** The administrator of the cluster may do everything. */
  readonly token: string;
  /** The administrator's client certificate, and the authority of the server's certificate; all PEM. */
  readonly certificates: { readonly ca: string; readonly cert: string; readonly key: string };
  /** A folder that lives as long as the server, for whatever a test has to write. */
  readonly directory: string;
  /** Writes a kubeconfig with this user into the folder, and returns its path. */
  writeKubeconfig(name: string, user: object, namespace: string): Promise<string>;
  /** Asks the server itself as an administrator. @returns the body of a response that is not an error */
  request(method: string, path: string, body?: unknown): Promise<string>;
}

const here = fileURLToPath(new URL('./kube-apiserver/', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/kube-vitals/', import.meta.url));
const START_MS = 120_000;
const TOKEN = 'administrator';

/** Compiles kube-apiserver, which takes minutes the first time, and returns the program. Needs Go. */
export async function buildKubeApiserver(): Promise<string> {
  const program = join(cache, 'kube-apiserver');
  await mkdir(cache, { recursive: true });
  await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: here });
  return program;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Makes a certificate authority, and a client's certificate signed by it. */
async function makeClientCertificate(name: string, organization: string) {
  const authority = await generate([{ name: 'commonName', value: `${name}-ca` }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const subject = [
    { name: 'organizationName', value: organization },
    { name: 'commonName', value: name },
  ];
  const { cert, private: key } = await generate(subject, {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { cert: authority.cert, key: authority.private },
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
  return { authority: authority.cert, cert, key };
}

/** Makes a kube-apiserver on a free port, with some more flags; `start` it. */
export async function createKubeApiserver(...flags: string[]): Promise<KubeApiserver> {
  const program = await buildKubeApiserver();
  const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-cluster-'));
  const etcd = await startEtcd();
  const port = await freePort();
  const { authority, cert, key } = await makeClientCertificate('administrator', 'system:masters');
  const frontProxy = await makeClientCertificate('front-proxy-client', 'front-proxy');
  const signer = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const files = {
    ...{ signer: 'signer.key', verifier: 'signer.pub', tokens: 'tokens.csv', clients: 'clients.crt' },
    ...{ proxyAuthority: 'proxy-ca.crt', proxyCert: 'proxy.crt', proxyKey: 'proxy.key' },
  };
  const pathOf = (name: keyof typeof files): string => join(directory, files[name]);
  await writeFile(pathOf('signer'), signer.privateKey);
  await writeFile(pathOf('verifier'), signer.publicKey);
  await writeFile(pathOf('tokens'), `${TOKEN},administrator,1,system:masters\n`);
  await writeFile(pathOf('clients'), authority);
  await writeFile(pathOf('proxyAuthority'), frontProxy.authority);
  await writeFile(pathOf('proxyCert'), frontProxy.cert);
  await writeFile(pathOf('proxyKey'), frontProxy.key);
  const args = [
    ...['--etcd-servers', etcd.endpoints.join(','), '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    ...['--advertise-address', '127.0.0.1', '--cert-dir', join(directory, 'certificates')],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', pathOf('verifier')],
    ...['--service-account-signing-key-file', pathOf('signer'), '--service-cluster-ip-range', '10.0.0.0/24'],
    ...['--authorization-mode', 'RBAC', '--token-auth-file', pathOf('tokens'), '--client-ca-file', pathOf('clients')],
    ...['--endpoint-reconciler-type', 'none'],
    // The aggregation layer.
    ...['--proxy-client-cert-file', pathOf('proxyCert'), '--proxy-client-key-file', pathOf('proxyKey')],
    ...[
      '--requestheader-client-ca-file',
      pathOf('proxyAuthority'),
      '--requestheader-allowed-names',
      'front-proxy-client',
    ],
    ...['--requestheader-username-headers', 'X-Remote-User', '--requestheader-uid-headers', 'X-Remote-Uid'],
    ...['--requestheader-group-headers', 'X-Remote-Group', '--requestheader-extra-headers-prefix', 'X-Remote-Extra-'],
    ...flags,
  ];
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let log = '';
  let ca = '';

  const connect = (to: number): ConnectedTransport =>
    httpTransport({ server: `https://127.0.0.1:${to}`, token: TOKEN, tls: { ca } });
  const request = async (method: string, path: string, body?: unknown): Promise<string> => {
    const dispatcher = new Agent({ connect: { ca } });
    try {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const sent = body === undefined ? null : JSON.stringify(body);
      const response = await send(`https://127.0.0.1:${port}${path}`, { method, headers, body: sent, dispatcher });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
      return text;
    } finally {
      await dispatcher.close();
    }
  };

  return {
    ...{ port, connect, request, etcd, directory, token: TOKEN, group: 'events.k8s.io' },
    get certificates() {
      return { ca, cert, key };
    },
    async writeKubeconfig(name, user, namespace) {
      const authority = Buffer.from(ca).toString('base64');
      const path = join(directory, `${name}.kubeconfig`);
      const config = {
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
        clusters: [
          { name: 'test', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': authority } },
        ],
        users: [{ name: 'test', user }],
        contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
      };
      await writeFile(path, stringify(config));
      return path;
    },
    async start() {
      const started = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      ownProcess(started);
      child = started;
      let gone = false;
      ended = new Promise((resolve) => started.once('close', resolve)).then(() => (gone = true));
      started.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-20_000)));
      for (const end = performance.now() + START_MS; ; await pause(100)) {
        if (gone || performance.now() > end) throw new Error(`kube-apiserver did not become ready: ${log}`);
        ca = await readFile(join(directory, 'certificates', 'apiserver.crt'), 'utf8').catch(() => '');
        if (ca === '') continue;
        const isReady = await request('GET', '/readyz').catch(() => undefined);
        if (isReady === 'ok') break;
      }
      // kube-apiserver creates the namespace default a moment after it reports that it is ready.
      while ((await request('GET', '/api/v1/namespaces/default').catch(() => undefined)) === undefined) await pause(50);
    },
    async kill() {
      child?.kill('SIGKILL');
      await ended;
    },
    async makeNamespace(name) {
      await request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    },
    async remove() {
      child?.kill('SIGKILL');
      await ended;
      await etcd.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
