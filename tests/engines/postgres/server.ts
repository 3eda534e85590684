import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chown, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { existsSync, openSync, closeSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** A PostgreSQL server of the test's own: directory, port and processes. */
export interface PostgresServer {
  readonly dir: string;
  readonly port: number;
  /** The postmaster, while it runs. */
  readonly pid: number | undefined;
  url(database?: string, user?: string): string;
  /** Ends it by signal and waits: `fast` cuts connections, `immediate` is a crash that leaves no process behind. */
  stop(mode?: 'smart' | 'fast' | 'immediate'): Promise<void>;
  /** SIGKILL to every process of it. */
  kill(): Promise<void>;
  /** SIGSTOP to every process of it: connections stay open and nothing responds. */
  freeze(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it again after `stop` or `kill`, or stops it first. */
  restart(): Promise<void>;
  /** Ends it and deletes its directory. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Settings, as in postgresql.conf. */
  readonly options?: Readonly<Record<string, string>>;
  /** For `initdb -E`. Default: UTF8. */
  readonly encoding?: string;
  /** Starts as an asynchronous standby of this server. */
  readonly standbyOf?: PostgresServer;
}

/** Where the programs of the server are: `POSTGRES_BIN`, or the newest installed one; `undefined`: there is none. */
export function postgresPrograms(): string | undefined {
  const chosen = process.env['POSTGRES_BIN'];
  if (chosen !== undefined) return chosen;
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

/** The user that servers run as: they refuse root. */
export async function serverUser(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await run('id', [flag, user])).stdout));
      return { uid: Number(uid), gid: Number(gid) };
    } catch {
      continue;
    }
  }
  throw new Error('no user to run a server as');
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tries until it works. */
export async function eventually<T>(work: () => Promise<T> | T, what: string, withinMs = 20_000): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what}: ${String(error)}`, { cause: error });
      await sleep(50);
    }
  }
}

/** The process and its descendants, parents first. */
async function processTree(pid: number): Promise<number[]> {
  const found = [pid];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (Number(parent) === pid) found.push(Number(entry));
  }
  return found;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** Makes a cluster in a new directory and starts it. */
export async function startPostgres({
  options = {},
  encoding = 'UTF8',
  standbyOf,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('PostgreSQL is not installed');
  const user = await serverUser();
  const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-postgres-'));
  const data = join(dir, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user.uid !== undefined) for (const path of [dir, data]) await chown(path, user.uid, user.gid ?? user.uid);
  const locale = encoding === 'UTF8' ? 'C.UTF-8' : 'C';
  const [program, ...flags] =
    standbyOf === undefined
      ? ['initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', encoding, `--locale=${locale}`, '--no-sync']
      : ['pg_basebackup', '-D', data, '-d', standbyOf.url(), '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  await run(join(bin, program), flags, { ...user, cwd: dir });
  const port = await freePort();
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();

  const url = (database = 'postgres', role = 'postgres'): string => `postgres://${role}@127.0.0.1:${port}/${database}`;

  const launch = (): void => {
    const log = openSync(join(dir, 'log'), 'a');
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      max_connections: '60',
      shared_buffers: '64MB',
      ...options,
    };
    const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const started = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
      ...user,
      cwd: dir,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    ended = new Promise((resolve) => started.once('exit', resolve));
    void ended.then(() => {
      if (child === started) child = undefined;
    });
    child = started;
  };

  const answers = async (): Promise<void> => {
    // After a kill the old processes may hold the shared memory for a moment, and the new one gives up.
    if (child === undefined) launch();
    const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = (): Promise<void> => eventually(answers, 'the server does not start', 60_000);

  /** Signals the postmaster and its backends. It is stopped first, so that no backend is forked while they are looked up. */
  const each = async (name: NodeJS.Signals): Promise<void> => {
    if (child?.pid === undefined) return;
    if (name !== 'SIGCONT') signal(child.pid, 'SIGSTOP');
    for (const pid of await processTree(child.pid)) signal(pid, name);
  };

  const server: PostgresServer = {
    dir,
    port,
    get pid() {
      return child?.pid;
    },
    url,
    async stop(mode = 'fast') {
      if (child?.pid === undefined) return;
      signal(child.pid, { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' }[mode] as NodeJS.Signals);
      await ended;
    },
    async kill() {
      await each('SIGKILL');
      await ended;
    },
    freeze: () => each('SIGSTOP'),
    resume: () => each('SIGCONT'),
    async restart() {
      await server.stop();
      await start();
    },
    async remove() {
      await each('SIGCONT');
      await server.stop('immediate');
      await rm(dir, { recursive: true, force: true });
    },
  };
  try {
    await start();
  } catch (error) {
    const log = await readFile(join(dir, 'log'), 'utf8').catch(() => '');
    await server.remove();
    throw new Error(`${String(error)}\n${log}`, { cause: error });
  }
  return server;
}
