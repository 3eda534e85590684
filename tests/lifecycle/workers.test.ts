import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { childrenOf, isRunning, ownProcess } from '../engines/support/processes.js';
import { until } from '../engines/support/waiting.js';

/** A database that is unavailable: the server starts nevertheless, and `/livez` passes. */
const AWAY = '--store=postgres://nobody@127.0.0.1:1/nothing';
const LIMIT_MS = 90_000;

const root = fileURLToPath(new URL('../../', import.meta.url));

async function launch(...flags: readonly string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-workers-'));
  const dataDir = join(directory, 'data');
  const own = ['--workers=2', '--secure-port=0', '--insecure-port=0', `--data-dir=${dataDir}`];
  const child = spawn(process.execPath, ['dist/cli.js', 'serve', ...own, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, as a shell makes one for what is started in a terminal.
    detached: true,
  });
  ownProcess(child);
  const { pid = NaN } = child;
  onTestFinished(async () => {
    for (const worker of await childrenOf(pid)) process.kill(worker, 'SIGKILL');
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const server = { child, pid, dataDir, ended, written, workers: () => childrenOf(pid), url: '' };
  return server;
}

type Server = Awaited<ReturnType<typeof launch>>;

async function start(...flags: readonly string[]): Promise<Server> {
  const server = await launch(AWAY, ...flags);
  await until('it serves', () => /^Ctrl-C ends it\.$/m.test(server.written.out), LIMIT_MS);
  return { ...server, url: / and (http:\S+)/.exec(server.written.out)?.[1] ?? '' };
}

async function livez({ url }: Server): Promise<string> {
  // Each request opens a connection.
  return (await fetch(`${url}/livez`, { headers: { connection: 'close' } })).text();
}

async function allEnded(pids: readonly number[]): Promise<boolean> {
  return (await Promise.all(pids.map(isRunning))).every((runs) => !runs);
}

const lines = (text: string, pattern: RegExp): number => text.split('\n').filter((line) => pattern.test(line)).length;

test(
  'workers share the ports, one banner, one data directory and one /metrics',
  async () => {
    const server = await start();
    expect(await server.workers()).toHaveLength(2);
    expect(lines(server.written.out, /^kube-vitals serves/)).toBe(1);
    for (let index = 0; index < 20; index++) expect(await livez(server)).toBe('ok');
    const authorization = `Bearer ${(await readFile(join(server.dataDir, 'admin-token'), 'utf8')).trim()}`;
    const ask = async (path: string): Promise<string> =>
      (await fetch(`${server.url}${path}`, { headers: { authorization } })).text();
    const text = await ask('/metrics');
    expect(text.match(/^kube_vitals_worker_up.*$/gm)?.sort()).toEqual([
      'kube_vitals_worker_up{worker="1"} 1',
      'kube_vitals_worker_up{worker="2"} 1',
    ]);
    expect(text.match(/^process_start_time_seconds\{worker="[12]"\}/gm)).toHaveLength(2);
    const probes = text.match(/^kubernetes_healthchecks_total\{name="ping",type="livez".*$/gm) ?? [];
    expect(probes).toHaveLength(2);
    expect(probes.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(20);
    const heads = text.match(/^# TYPE .*$/gm) ?? [];
    expect(heads).toHaveLength(new Set(heads).size);
    expect((await ask('/metrics/slis')).match(/name="ping",type="livez",worker="[12]"\} 1$/gm)).toHaveLength(2);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(await server.workers()).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'a worker that is killed is reported and started again, and the other one serves meanwhile',
  async () => {
    const server = await start();
    const [first = NaN, second] = await server.workers();
    process.kill(first, 'SIGKILL');
    await until('its end is told', () => server.written.err.includes('was ended by SIGKILL; it is started again\n'));
    expect(await livez(server)).toBe('ok');
    await until('it serves again', () => /^worker [12] serves again$/m.test(server.written.err), LIMIT_MS);
    const workers = await server.workers();
    expect(workers).toHaveLength(2);
    expect(workers).toContain(second);
    expect(workers).not.toContain(first);
    for (let index = 0; index < 4; index++) expect(await livez(server)).toBe('ok');
    expect(lines(server.written.out, /^kube-vitals serves/)).toBe(1);
    // SIGKILL ends the server, not its workers: they notice that it is gone.
    server.child.kill('SIGKILL');
    await server.ended;
    await until('the workers have ended, too', () => allEnded(workers), LIMIT_MS);
    expect(lines(server.written.err, /^worker [12]: the process that started this one has ended$/)).toBe(2);
    expect(lines(server.written.err, /^worker [12]: ended$/)).toBe(2);
  },
  LIMIT_MS,
);

test(
  'Ctrl-C, which reaches server and workers alike, counts once; a second one ends all at once',
  async () => {
    const patient = await start();
    process.kill(-patient.pid, 'SIGINT');
    expect(await patient.ended).toBe(0);
    expect(patient.written.err).not.toContain('again: ending');
    const server = await start('--shutdown-delay-duration=1h');
    const workers = await server.workers();
    process.kill(-server.pid, 'SIGINT');
    await until('the shutdown has begun', () => lines(server.written.err, /SIGINT: shutting down/) === 3);
    // Sooner it would be a copy of the first one.
    await pause(250);
    process.kill(-server.pid, 'SIGINT');
    expect(await server.ended).toBe(1);
    await until('the workers have ended', () => allEnded(workers));
  },
  LIMIT_MS,
);

test(
  'an error of the start is printed once, with exit code 1',
  async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const server = await launch(AWAY, `--secure-port=${port}`);
    expect(await server.ended).toBe(1);
    expect(server.written.err.match(/^error: .*$/gm)).toEqual([
      `error: port ${port} of 127.0.0.1 is taken; choose another with --secure-port, or 0 for any`,
    ]);
    expect(server.written.out).toBe('');
    const other = await launch(AWAY, '--token-auth-file=/nowhere/tokens');
    expect(await other.ended).toBe(1);
    expect(other.written.err).toBe('error: --token-auth-file: cannot read /nowhere/tokens (ENOENT)\n');
  },
  LIMIT_MS,
);

test(
  'a store that processes cannot share is refused before anything is opened',
  async () => {
    const server = await launch('--store=memory');
    expect(await server.ended).toBe(2);
    expect(server.written.err).toMatch(/^error: --workers=2 needs a store that processes can share: .*\n$/);
    expect(existsSync(server.dataDir)).toBe(false);
  },
  LIMIT_MS,
);

test(
  '--max-connections limits the connections of each worker and port; further ones are closed at once',
  async () => {
    const server = await start('--max-connections=3');
    const [secure] = /https:\S+/.exec(server.written.out) ?? [''];
    for (const url of [server.url, secure ?? '']) {
      const sockets: Socket[] = [];
      onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
      for (let index = 0; index < 30; index++) {
        const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
        sockets.push(socket.resume());
        await once(socket, 'connect');
      }
      // The system gives a connection to whichever worker accepts first: one may have got all of them.
      await until('all but six are closed', () => sockets.filter(({ closed }) => closed).length >= 24);
      expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThanOrEqual(3);
      for (const socket of sockets) socket.destroy();
    }
    await until('there is room again', async () => (await livez(server).catch(() => '')) === 'ok');
    const warnings = lines(server.written.err, /--insecure-port: connections are closed, because 3 are open/);
    expect([1, 2]).toContain(warnings);
  },
  LIMIT_MS,
);
