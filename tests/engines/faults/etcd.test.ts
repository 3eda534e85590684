import { afterAll, beforeAll, describe } from 'vitest';
import { startEtcd, type Cluster } from '../etcd/cluster.js';
import { isPresent, startDatabase, type Database } from '../support/databases.js';
import { createServer, type Server } from '../support/standalone.js';
import { faultTest } from './fault.js';
import { sharedFaults } from './shared-faults.js';

const present = isPresent('etcd');

describe.runIf(present)('three members of etcd', () => {
  let database: Database;
  const servers: Server[] = [];
  beforeAll(async () => {
    database = await startDatabase('etcd');
    servers.push(await createServer({ name: 'server 1', store: database.store }));
    servers.push(await createServer({ name: 'server 2 (proxies)', store: database.storeByProxy }));
    for (const server of servers) await server.start();
  });
  afterAll(async () => {
    for (const server of servers) await server.remove();
    await database.remove();
  });
  const [direct, byProxy] = [(): Server => servers[0] as Server, (): Server => servers[1] as Server];

  for (const fault of sharedFaults({ database: () => database, direct, byProxy })) {
    faultTest('etcd', () => servers, fault);
  }

  faultTest('etcd', () => servers, {
    name: 'freeze-leader',
    async happens({ moreAcknowledged, healing }) {
      const leader = await database.victims('leader');
      await leader.freeze();
      healing();
      await moreAcknowledged(100);
      await leader.resume();
    },
    after: async () => (await database.victims()).resume(),
  });

  faultTest('etcd', () => servers, {
    name: 'kill-leader',
    async happens({ moreAcknowledged, healing }) {
      const leader = await database.victims('leader');
      await leader.kill();
      healing();
      await moreAcknowledged(100);
      await leader.restart();
    },
  });
});

describe.runIf(present)('one member of etcd with a quota', () => {
  let cluster: Cluster;
  const servers: Server[] = [];
  beforeAll(async () => {
    cluster = await startEtcd({ quotaBytes: 12 * 1024 * 1024 });
    const [endpoint = ''] = cluster.endpoints;
    const server = await createServer({ name: 'the server', store: endpoint.replace(/^http:/, 'etcd:') });
    servers.push(server);
    await server.start();
  });
  afterAll(async () => {
    for (const server of servers) await server.remove();
    await cluster.stop();
  });

  const revision = (): string => {
    const [status] = JSON.parse(cluster.ctl('endpoint', 'status', '-w', 'json')) as [
      { Status: { header: { revision: number } } },
    ];
    return String(status.Status.header.revision);
  };
  const freeSpace = (): void => {
    cluster.ctl('compact', '--physical', revision());
    cluster.ctl('defrag', '--command-timeout=60s');
    cluster.ctl('alarm', 'disarm');
  };
  faultTest('etcd', () => servers, {
    name: 'disk-full',
    ballast: 60_000,
    mix: 'rewrite',
    // The load continues once there is space again, and must not fill it.
    thinkMs: 200,
    writes: 20,
    async happens({ moreFailures, readOnly, healing }) {
      await moreFailures(20);
      await readOnly(...servers);
      healing();
      freeSpace();
    },
  });
});
