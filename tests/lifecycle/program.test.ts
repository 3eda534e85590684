import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventStore } from 'kube-vitals';
import { sqliteStore } from 'kube-vitals/sqlite';
import { sampleEvent } from 'kube-vitals/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function newFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-program-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Starts the program; `ended` resolves with its exit code and what it wrote. */
function start(...words: string[]) {
  const child = spawn(process.execPath, ['dist/cli.js', ...words], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  return { child, ended };
}

async function withFile<T>(path: string, work: (store: EventStore) => Promise<T>): Promise<T> {
  const store = sqliteStore({ path });
  return work(store).finally(() => store.close());
}

async function put(store: EventStore, name: string, note: string): Promise<void> {
  const key = { namespace: 'shop', name };
  const expiresAt = Date.now() * 1_000 + 3_600_000_000;
  await store.create(key, sampleEvent({ ...key, uid: `uid-${name}`, note }), { expiresAt });
}

test('kube-vitals copy copies a file, skips what is already there, and names events that differ', async () => {
  const dir = await newFolder();
  const [from, to] = [join(dir, 'from.db'), join(dir, 'to.db')];
  await withFile(from, async (store) => {
    for (const name of ['a', 'b', 'c']) await put(store, name, 'a note');
  });
  const words = ['copy', `sqlite:${from}`, `sqlite:${to}`];
  expect(await start(...words).ended).toEqual({
    ...{ code: 0, err: '' },
    out: '3 copied, 0 already there, 0 replaced, 0 expired, 0 left out\n',
  });
  await withFile(to, async (store) => {
    await store.remove({ namespace: 'shop', name: 'b' });
    await put(store, 'b', 'another note');
  });
  const again = await start(...words).ended;
  expect([again.code, again.out]).toEqual([1, '0 copied, 2 already there, 0 replaced, 0 expired, 1 left out\n']);
  expect(again.err).toContain('left out: shop/b: TO has another event of that name');
  const replaced = await start(...words, '--overwrite').ended;
  expect([replaced.code, replaced.out]).toEqual([0, '0 copied, 2 already there, 1 replaced, 0 expired, 0 left out\n']);
});

test('kube-vitals copy neither creates the file that it should read, nor reads one that is open', async () => {
  const dir = await newFolder();
  const [from, to] = [join(dir, 'from.db'), join(dir, 'to.db')];
  const missing = await start('copy', `sqlite:${from}`, `sqlite:${to}`).ended;
  expect(missing).toEqual({ code: 2, out: '', err: `error: FROM: there is no file ${from}\n` });
  await withFile(from, async (store) => {
    await put(store, 'a', 'a note');
    const open = await start('copy', `sqlite:${from}`, `sqlite:${to}`).ended;
    expect([open.code, open.out]).toEqual([1, '']);
    expect(open.err).toMatch(/^error: FROM: .*from\.db is in use by another store/);
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('kube-vitals copy ends on %s while a store does not respond', async (signal, expected) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined))).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await once(silent, 'listening');
  const dir = await newFolder();
  const from = join(dir, 'from.db');
  await withFile(from, (store) => put(store, 'a', 'a note'));
  const { port } = silent.address() as AddressInfo;
  const { child, ended } = start('copy', `sqlite:${from}`, `etcd://127.0.0.1:${port}/p`);
  await once(silent, 'connection');
  child.kill(signal);
  expect(await ended).toEqual({
    ...{ code: expected, out: '' },
    err: `${signal}: stopping\nstopped; copied events are kept, and the same command continues the copy\n`,
  });
});

test('kube-vitals copy fails if a store is missing, and names it', async () => {
  const from = join(await newFolder(), 'from.db');
  await withFile(from, (store) => put(store, 'a', 'a note'));
  const { code, out, err } = await start('copy', `sqlite:${from}`, 'etcd://user:s3cret@127.0.0.1:1/p').ended;
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^error: TO: .+\n$/);
  expect(err).not.toContain('s3cret');
});

test('kube-vitals serve has metrics, without prom-client beside it, for callers who may get them', async () => {
  const dir = await newFolder();
  const { child } = start(
    ...['serve', '--data-dir', dir, '--store', 'memory', '--secure-port', '0', '--insecure-port', '0'],
  );
  let banner = '';
  while (!/http:\/\/[\d.:]+/.test(banner)) banner += String((await once(child.stdout, 'data'))[0]);
  const [url = ''] = /http:\/\/[\d.:]+/.exec(banner) ?? [];
  const authorization = `Bearer ${(await readFile(join(dir, 'admin-token'), 'utf8')).trim()}`;
  await fetch(`${url}/readyz`, { headers: { authorization } });
  expect((await fetch(`${url}/metrics`)).status).toBe(403);
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
  expect(text).toContain('kubernetes_healthcheck{name="ping",type="readyz"} 1');
  expect(text).toContain('process_resident_memory_bytes');
  child.kill('SIGTERM');
  await once(child, 'close');
});

test('kube-vitals serve continues, and shuts down in order, when the reader of its log has ended', async () => {
  const dir = await newFolder();
  const { child, ended } = start(
    ...['serve', '--data-dir', dir, '--store', 'memory', '--secure-port', '0', '--insecure-port', '0'],
  );
  child.stderr.destroy();
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('kube-vitals serve serves, and shuts down in order, where its banner cannot be written', async () => {
  const dir = await newFolder();
  const { child, ended } = start(
    ...['serve', '--data-dir', dir, '--store', 'memory', '--secure-port', '0', '--insecure-port', '0'],
  );
  child.stdout.destroy();
  await vi.waitFor(() => readFile(join(dir, 'kubeconfig')), { timeout: 20_000 });
  // The banner follows the kubeconfig.
  await setTimeout(1_000);
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  const { code, err } = await ended;
  expect([code, err]).toEqual([0, expect.stringMatching(/^SIGTERM: shutting down\n[^]*ended\n$/)]);
});

test('kube-vitals serve ends when it has shut down, although nobody reads its banner', async () => {
  const dir = await newFolder();
  const words = ['serve', '--data-dir', dir, '--store', 'memory', '--secure-port', '0', '--insecure-port', '0'];
  // A full pipe, whose only reader is the program itself.
  const line = 'mkfifo "$0/pipe"; exec 9<>"$0/pipe"; head -c 65536 /dev/zero >&9; exec "$@" >&9';
  const child = spawn('sh', ['-c', line, dir, process.execPath, 'dist/cli.js', ...words], { cwd: root });
  onTestFinished(() => void child.kill('SIGKILL'));
  await vi.waitFor(() => readFile(join(dir, 'kubeconfig')), { timeout: 20_000 });
  await setTimeout(1_000);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('kube-vitals serve ends on SIGTERM during its start, also as the first process of a container', async () => {
  const dir = await newFolder();
  await writeFile(join(dir, 'first.cjs'), 'Object.defineProperty(process, "pid", { value: 1 });');
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const words = ['serve', '--data-dir', dir, '--store', `postgres://a@127.0.0.1:${port}/d`];
  const child = spawn(process.execPath, ['--require', join(dir, 'first.cjs'), 'dist/cli.js', ...words], { cwd: root });
  const [socket] = (await once(silent, 'connection')) as [Socket];
  socket.on('error', () => undefined);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
});

test('kube-vitals serve reports in one line that its file is open elsewhere', async () => {
  const dir = await newFolder();
  await withFile(join(dir, 'events.db'), async () => {
    const ports = ['--secure-port', '0', '--insecure-port', '0'];
    const { code, out, err } = await start('serve', '--data-dir', dir, ...ports).ended;
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: --store: the database file .* is in use by another store.*\n$/);
  });
});

test('kube-vitals events names the flag of certificate authorities that it cannot use', async () => {
  const dir = await newFolder();
  const file = join(dir, 'ca.der');
  await writeFile(file, new Uint8Array([0x30, 0x82]));
  for (const [path, fault] of [
    [dir, `cannot read ${dir} (EISDIR)`],
    [file, `${file} contains no certificate in PEM`],
  ] as const) {
    expect(await start('events', '--server=https://127.0.0.1:1', '--certificate-authority', path).ended).toEqual({
      ...{ code: 1, out: '' },
      err: `error: --certificate-authority: ${fault}\n`,
    });
  }
});
