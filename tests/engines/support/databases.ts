import { hasEtcd, startEtcd, type Member } from '../etcd/cluster.js';
import { installed } from '../postgres/installed.js';
import { postgresPrograms, startPostgres } from '../postgres/server.js';
import { createProxy, type Proxy } from './proxy.js';

/** A database that servers keep their events in, and the faults that can be injected. */
export interface Database {
  readonly engine: Engine;
  /** The value of `--store`. */
  readonly store: string;
  /** The same, through the proxies. */
  readonly storeByProxy: string;
  readonly proxies: readonly Proxy[];
  /** All processes, or (etcd) the leader. */
  readonly victims: (which?: 'leader') => Promise<Victims>;
  readonly remove: () => Promise<void>;
}

/** Processes of a database. */
export interface Victims {
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly freeze: () => Promise<void>;
  readonly resume: () => Promise<void>;
  readonly pids: readonly number[];
}

export type Engine = 'postgres' | 'etcd';

/** Whether the server program of an engine is installed. Where it is not, one line says so; in CI that is an error. */
export function isPresent(engine: Engine): boolean {
  return engine === 'postgres' ? installed(postgresPrograms(), 'PostgreSQL') : hasEtcd();
}

/** Engines whose server program is installed. */
export function presentEngines(): Engine[] {
  return (['postgres', 'etcd'] as const).filter(isPresent);
}

/** Starts a database of the test's own: one PostgreSQL, or three members of etcd. */
export function startDatabase(engine: Engine): Promise<Database> {
  return engine === 'postgres' ? postgres() : etcd();
}

async function postgres(): Promise<Database> {
  const server = await startPostgres();
  endWithUs(() => [server.pid]);
  const proxy = await createProxy(server.port);
  return {
    engine: 'postgres',
    store: server.url(),
    storeByProxy: server.url().replace(`:${server.port}`, `:${proxy.port}`),
    proxies: [proxy],
    victims: async () => ({
      kill: () => server.kill(),
      restart: () => server.restart(),
      freeze: () => server.freeze(),
      resume: () => server.resume(),
      pids: server.pid === undefined ? [] : [server.pid],
    }),
    async remove() {
      await proxy.close();
      await server.remove();
    },
  };
}

async function etcd(): Promise<Database> {
  const cluster = await startEtcd({ members: 3 });
  endWithUs(() => cluster.members.map((member) => member.pid));
  const ports = cluster.endpoints.map((endpoint) => Number(new URL(endpoint).port));
  const proxies = await Promise.all(ports.map((port) => createProxy(port)));
  const store = (all: readonly number[]): string =>
    `etcd://${all.map((port) => `127.0.0.1:${port}`).join(',')}/kube-vitals/events`;
  const victims = (members: readonly Member[]): Victims => ({
    kill: async () => void (await Promise.all(members.map((member) => member.kill()))),
    restart: async () => void (await Promise.all(members.map((member) => member.restart()))),
    freeze: async () => members.forEach((member) => member.freeze()),
    resume: async () => members.forEach((member) => member.resume()),
    pids: members.map((member) => member.pid),
  });
  return {
    engine: 'etcd',
    store: store(ports),
    storeByProxy: store(proxies.map((proxy) => proxy.port)),
    proxies,
    victims: async (which) => victims(which === 'leader' ? [await cluster.leader()] : cluster.members),
    async remove() {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await cluster.stop();
    },
  };
}

/** Ends databases with this process, also when a test fails or is interrupted. */
function endWithUs(pids: () => readonly (number | undefined)[]): void {
  process.once('exit', () => {
    for (const pid of pids()) {
      try {
        if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended already, as it should.
      }
    }
  });
}
