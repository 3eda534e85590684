import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { get, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { manifestText } from './manifests.js';
import { startStandalone } from './standalone.js';

const PATH = '/apis/events.example.com/v1/namespaces/nginx/events';
const GUIDE = new URL('../../docs/guides/reverse-proxies.md', import.meta.url);
const hasNginx = spawnSync('nginx', ['-v']).status === 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Runs nginx with the configuration of the guide in front of a port, and resolves to its own port. */
async function startNginx(upstream: number): Promise<number> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'kube-vitals-nginx-'));
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-keyout', join(dir, 'tls.key'), '-out', join(dir, 'tls.crt')],
  ]);
  const block = /```nginx\n([^]*?)```/.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const guide = block
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${upstream};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replaceAll('/etc/nginx/', `${dir}/`);
  expect(guide).toContain(`listen 127.0.0.1:${port} ssl;`);
  expect(guide).toContain(`server 127.0.0.1:${upstream};`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
  writeFileSync(
    join(dir, 'nginx.conf'),
    `daemon off; pid ${dir}/pid; error_log stderr;\nevents {}\nhttp { gzip on; gzip_types *; access_log off; ${paths.join(' ')}\n${guide}\n}\n`,
  );
  const nginx = spawn('nginx', ['-e', 'stderr', '-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'close');
    rmSync(dir, { recursive: true, force: true });
  });
  for (;;) {
    const response = await ask(port, '/livez').catch(() => undefined);
    if (response?.statusCode === 200) return port;
    await pause(20);
  }
}

async function ask(port: number, path: string, options: RequestOptions = {}, body?: string): Promise<IncomingMessage> {
  const where = { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...options } as const;
  const asking = body === undefined ? get(where) : request({ method: 'POST', ...where }).end(body);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  onTestFinished(() => void response.destroy());
  return response;
}

// With CI=true a missing nginx fails the test instead of skipping it.
test.skipIf(!hasNginx && process.env['CI'] !== 'true')(
  'behind nginx as the guide configures it, every frame of a watch arrives at once, also for a client that accepts gzip',
  async () => {
    const server = await startStandalone();
    onTestFinished(async () => void (await server.stop()));
    const token = readFileSync(join(server.directory, 'data', 'admin-token'), 'utf8').trim();
    const port = await startNginx(Number(new URL(server.insecureUrl).port));
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip', 'content-type': 'application/json' };

    const watch = await ask(port, `${PATH}?watch=true`, { headers });
    expect([watch.statusCode, watch.headers['content-encoding']]).toEqual([200, undefined]);
    let received = '';
    watch.setEncoding('utf8').on('data', (text: string) => (received += text));
    const lines = (): readonly string[] => received.split('\n').slice(0, -1);
    const names = Array.from({ length: 5 }, (_, index) => `behind-nginx-${index}`);
    for (const [index, name] of names.entries()) {
      const created = await ask(
        port,
        PATH,
        { headers },
        manifestText('events.example.com', name, { metadata: { namespace: 'nginx' } }),
      );
      expect(created.statusCode).toBe(201);
      // The frame arrives although no other event follows it.
      await expect.poll(() => lines().length, { timeout: 5_000, interval: 5 }).toBe(index + 1);
    }
    const seen = lines().map(
      (line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name,
    );
    expect(seen).toEqual(names);
  },
);
