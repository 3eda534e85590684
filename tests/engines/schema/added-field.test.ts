import postgres from 'postgres';
import { afterAll, beforeAll, describe } from 'vitest';
import type { EventStore } from '../../../src/index.js';
import { behindCacheOf, copyWithAddedFields, testAddedFields, type SchemaCopy } from '../../package/added-field.js';
import { hasEtcd, startEtcd, type Cluster } from '../etcd/cluster.js';
import { describeWithPostgres } from '../postgres/installed.js';
import { startPostgres, type PostgresServer } from '../postgres/server.js';

describe('a field that is added to the schema in one line', () => {
  let made: SchemaCopy;
  beforeAll(async () => {
    made = await copyWithAddedFields();
  });
  afterAll(() => made.remove());

  const run = (title: string, open: (name: string) => EventStore | Promise<EventStore>): void =>
    testAddedFields(title, { copy: () => made, open, isDurable: true });

  describeWithPostgres('in the PostgreSQL store', () => {
    let server: PostgresServer;
    let sql: ReturnType<typeof postgres>;
    beforeAll(async () => {
      server = await startPostgres({ options: { fsync: 'off' } });
      sql = postgres(server.url(), { max: 5 });
    });
    afterAll(async () => {
      await sql.end();
      await server.remove();
    });

    const postgresStore = (schema: string): EventStore =>
      made.postgres.postgresStore({ connectionString: server.url(), schema });
    run('without a watch cache', postgresStore);
    run('behind a watch cache', (name) => behindCacheOf(made, postgresStore(`cached_${name}`)));
    run('through the driver postgres', (name) =>
      made.postgres.postgresStore({ client: made.postgres.postgresJsClient(sql), schema: `postgres_js_${name}` }),
    );
  });

  describe.skipIf(!hasEtcd())('in the etcd store', () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startEtcd();
    });
    afterAll(() => cluster.stop());

    const etcdStore = (transport: 'grpc' | 'gateway', name: string): EventStore =>
      made.etcd.etcdStore({ endpoints: cluster.endpoints, transport, prefix: `/${transport}/${name}` });
    run('over grpc', (name) => etcdStore('grpc', name));
    run('over grpc, behind a watch cache', (name) => behindCacheOf(made, etcdStore('grpc', `cached-${name}`)));
    run('over gateway', (name) => etcdStore('gateway', name));
  });
});
