import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** For {@link startEtcd}. */
export interface ClusterOptions {
  readonly members?: 1 | 3;
  /** Serves clients over TLS, with certificates of this authority. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** The password of root, with authentication on. */
  readonly auth?: string;
  readonly quotaBytes?: number;
  /** The election timeout. Default: 1,000 as etcd has it. */
  readonly electionMs?: number;
}

/** One etcd process. */
export interface Member {
  readonly endpoint: string;
  readonly pid: number;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP. */
  freeze(): void;
  /** SIGCONT. */
  resume(): void;
  /** Starts it again on its data, after `kill`. */
  restart(): Promise<void>;
}

/** A running cluster. */
export interface Cluster {
  readonly endpoints: readonly string[];
  readonly members: readonly Member[];
  /** The leader. */
  leader(): Promise<Member>;
  /** Saves a snapshot of a single member, and returns what restores it: data and revision counter go back. */
  backUp(): Promise<() => Promise<void>>;
  /** Starts a new, empty cluster in its place. */
  wipe(): Promise<void>;
  /** Runs etcdctl on it, and returns what it printed. */
  ctl(...args: readonly string[]): string;
  /** Ends all and removes their data. */
  stop(): Promise<void>;
}

const isInstalled = (program: string, flag = 'version'): boolean => spawnSync(program, [flag]).status === 0;

/** Whether etcd is installed. Where it is not, tests say so in one line; in CI that is a failure. */
export function hasEtcd(): boolean {
  const found = isInstalled('etcd', '--version') && isInstalled('etcdctl');
  if (!found) {
    if (process.env['CI'] === 'true') throw new Error('etcd and etcdctl are not installed, and CI needs them');
    process.stdout.write('etcd is not installed: its tests are skipped\n');
  }
  return found;
}

/** Runs a command-line program of etcd, and returns what it printed. */
function runTool(program: string, ...args: readonly string[]): string {
  const result = spawnSync(program, args, { env: { ...process.env, ETCDCTL_API: '3' }, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** Different ones, because all are open at once. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

/** A member ended by itself. */
class MemberEnded extends Error {}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

/**
 * Starts a cluster on free ports, in a directory of its own, and waits until it accepts writes. Another process may take
 * a port before etcd listens on it, and etcd ends then: others are tried.
 */
export async function startEtcd(options: ClusterOptions = {}): Promise<Cluster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(options);
    } catch (error) {
      if (!(error instanceof MemberEnded) || attempt === 3) throw error;
    }
  }
}

async function startOnFreePorts(options: ClusterOptions): Promise<Cluster> {
  const count = options.members ?? 1;
  const directory = await mkdtemp(join(tmpdir(), 'kube-vitals-etcd-'));
  const scheme = options.tls ? 'https' : 'http';
  const free = await freePorts(2 * count);
  const ports = Array.from({ length: count }, (_, i) => ({ client: free[2 * i] ?? 0, peer: free[2 * i + 1] ?? 0 }));
  const cluster = ports.map(({ peer }, i) => `m${i}=http://127.0.0.1:${peer}`).join(',');
  const files = { ca: join(directory, 'ca.pem'), cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  if (options.tls) {
    await writeFile(files.ca, options.tls.ca);
    await writeFile(files.cert, options.tls.cert);
    await writeFile(files.key, options.tls.key);
  }

  const run = (i: number): ChildProcess => {
    const { client, peer } = ports[i] as (typeof ports)[number];
    const args = [
      ...['--name', `m${i}`, '--data-dir', join(directory, `m${i}`)],
      ...['--listen-client-urls', `${scheme}://127.0.0.1:${client}`],
      ...['--advertise-client-urls', `${scheme}://127.0.0.1:${client}`],
      ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
      ...['--initial-cluster', cluster, '--initial-cluster-state', 'new'],
      ...['--logger', 'zap', '--log-outputs', join(directory, `m${i}.log`), '--log-level', 'error'],
      ...(options.tls ? ['--cert-file', files.cert, '--key-file', files.key] : []),
      ...(options.quotaBytes === undefined ? [] : ['--quota-backend-bytes', String(options.quotaBytes)]),
      ...(options.electionMs === undefined
        ? []
        : ['--election-timeout', String(options.electionMs)].concat([
            '--heartbeat-interval',
            String(Math.max(10, Math.round(options.electionMs / 6))),
          ])),
    ];
    return spawn('etcd', args, { stdio: 'ignore' });
  };

  const members = ports.map(({ client }, i) => {
    const endpoint = `${scheme}://127.0.0.1:${client}`;
    let child = run(i);
    return {
      endpoint,
      get pid() {
        return child.pid ?? 0;
      },
      hasEnded: () => child.exitCode !== null,
      async kill() {
        child.kill('SIGKILL');
        await ended(child);
      },
      freeze: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
      async restart() {
        await ended(child);
        child = run(i);
      },
    } satisfies Member & { hasEnded(): boolean };
  });
  const endpoints = members.map(({ endpoint }) => endpoint);

  let login: readonly string[] = [];
  let snapshots = 0;
  const secure = options.tls ? ['--cacert', files.ca] : [];
  const ctlOn = (some: readonly string[], ...args: readonly string[]): string =>
    runTool('etcdctl', '--endpoints', some.join(','), ...secure, ...login, ...args);

  const answering = async (): Promise<void> => {
    for (let tries = 0; ; tries++) {
      try {
        ctlOn(endpoints, 'endpoint', 'health');
        return;
      } catch (error) {
        const ended = members.findIndex((member) => member.hasEnded());
        if (ended >= 0) throw new MemberEnded(await readFile(join(directory, `m${ended}.log`), 'utf8').catch(String));
        if (tries > 60) throw error;
        await sleep(200);
      }
    }
  };
  /** Ends all, puts other data in place, and starts all. */
  const startOn = async (makeData: (dataDir: string, i: number) => void): Promise<void> => {
    for (const member of members) await member.kill();
    for (const i of members.keys()) {
      const dataDir = join(directory, `m${i}`);
      await rm(dataDir, { recursive: true, force: true });
      makeData(dataDir, i);
    }
    for (const member of members) await member.restart();
    await answering();
  };

  const stop = async (): Promise<void> => {
    for (const member of members) {
      member.resume();
      await member.kill();
    }
    await rm(directory, { recursive: true, force: true });
  };

  try {
    await answering();
  } catch (error) {
    await stop();
    throw error;
  }
  if (options.auth !== undefined) {
    ctlOn(endpoints, 'user', 'add', `root:${options.auth}`);
    ctlOn(endpoints, 'user', 'grant-role', 'root', 'root');
    ctlOn(endpoints, 'auth', 'enable');
    login = ['--user', `root:${options.auth}`];
  }

  return {
    endpoints,
    members,
    async leader() {
      for (let tries = 0; tries < 50; tries++) {
        for (const member of members) {
          const status = ctlOn([member.endpoint], 'endpoint', 'status', '-w', 'json');
          const [{ Status }] = JSON.parse(status) as [{ Status: { leader: number; header: { member_id: number } } }];
          if (Status.leader !== 0 && Status.leader === Status.header.member_id) return member;
        }
        await sleep(100);
      }
      throw new Error('no member leads');
    },
    async backUp() {
      const file = join(directory, `snapshot-${++snapshots}`);
      ctlOn(endpoints, 'snapshot', 'save', file);
      // etcd 3.4 has no etcdutl, and etcdctl of 3.6 restores nothing.
      const restorer = isInstalled('etcdutl') ? 'etcdutl' : 'etcdctl';
      return () =>
        startOn((dataDir, i) => {
          const { peer } = ports[i] as (typeof ports)[number];
          const self = ['--name', `m${i}`, '--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`];
          runTool(restorer, 'snapshot', 'restore', file, '--data-dir', dataDir, '--initial-cluster', cluster, ...self);
        });
    },
    wipe: () => startOn(() => undefined),
    ctl: (...args) => ctlOn(endpoints, ...args),
    stop,
  };
}
