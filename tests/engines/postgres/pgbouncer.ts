import { spawn } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually, freePort, serverUser } from './server.js';

/** A PgBouncer of the test's own. */
export interface PgBouncer {
  readonly pid: number | undefined;
  url(database?: string): string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** Where the server listens. */
  readonly target: { readonly port: number };
  readonly poolMode: 'session' | 'transaction' | 'statement';
  /** More lines for the section `[pgbouncer]`. */
  readonly options?: Readonly<Record<string, string>>;
}

/** The program; `undefined`: not installed. */
export function pgBouncerProgram(): string | undefined {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
}

/** Starts it in front of every database of a server. */
export async function startPgBouncer({ target, poolMode, options = {} }: PgBouncerOptions): Promise<PgBouncer> {
  const program = pgBouncerProgram();
  if (program === undefined) throw new Error('PgBouncer is not installed');
  const user = await serverUser();
  const dir = await mkdtemp(join(tmpdir(), 'kube-vitals-pgbouncer-'));
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(dir, 'users'),
    pool_mode: poolMode,
    default_pool_size: '8',
    max_client_conn: '200',
    ...options,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}`);
  const config = `[databases]\n* = host=127.0.0.1 port=${target.port}\n[pgbouncer]\n${lines.join('\n')}\n`;
  await writeFile(join(dir, 'ini'), config);
  await writeFile(join(dir, 'users'), '"postgres" ""\n');
  if (user.uid !== undefined) {
    for (const path of [dir, join(dir, 'ini'), join(dir, 'users')]) await chown(path, user.uid, user.gid ?? user.uid);
  }
  const child = spawn(program, ['-q', join(dir, 'ini')], { ...user, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => (log += String(chunk)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = (database = 'postgres'): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
    }, 'PgBouncer does not start');
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${log}`, { cause: error });
  }
  return { pid: child.pid, url, stop };
}
