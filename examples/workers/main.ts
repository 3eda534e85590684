// A process for each core: they share the port and the database, and each has a watch cache of its own.
//   DATABASE_URL=postgres://shop@127.0.0.1/shop npx tsx examples/workers/main.ts
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { allowAuthenticated, cachedStore, createApiServer, createEvents, createHealth } from 'kube-vitals';
import { staticTokens, storeCheck } from 'kube-vitals';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { postgresStore } from 'kube-vitals/postgres';

const PORT = Number(process.env['PORT'] ?? 8080);
const WORKERS = Number(process.env['WORKERS'] ?? availableParallelism());
const RESTART_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

if (cluster.isPrimary) superviseWorkers();
else serve();

function superviseWorkers(): void {
  let stopping = false;
  // Each worker accepts connections itself. A connection that Node's primary passes to a worker is lost if that is killed.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  for (let count = 0; count < WORKERS; count++) cluster.fork();
  cluster.on('exit', ({ process: { pid } }, code, signal) => {
    if (stopping) {
      if (code !== 0) process.exitCode = 1;
      return;
    }
    console.error(`worker ${pid} ended (${signal ?? code}) and is started again`);
    setTimeout(() => stopping || cluster.fork(), RESTART_MS);
  });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      stopping = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.send('shutdown');
    });
  }
  // A message sent to a worker before it listens for messages is lost.
  cluster.on('listening', (worker) => void (stopping && worker.send('shutdown')));
  cluster.once('listening', (_, { port }) => {
    const url = `http://127.0.0.1:${port}/apis/events.example.com/v1/events`;
    console.log(`curl -H 'Authorization: Bearer s3cret-of-the-examples' '${url}'`);
  });
}

function serve(): void {
  const access = {
    authenticate: staticTokens({ 's3cret-of-the-examples': { name: 'ops' } }),
    authorize: allowAuthenticated(),
  };
  const store = cachedStore(postgresStore({ connectionString: process.env['DATABASE_URL'] ?? '' }));
  const health = createHealth(access);
  health.add(storeCheck(store));
  const events = createEvents({ ...access, apiDomain: 'example.com', store });
  const api = createApiServer({ ...access, health, events });
  const server = createServer(toNodeListener(api.handle));

  // Ctrl-C reaches all processes of a terminal: the primary decides when workers end. If it has ended, Node ends them.
  const { shutdown } = installShutdown({ server, health, events, store, signals: [] });
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  process.once('message', () => {
    void shutdown().then(({ failures }) => process.exit(failures.length === 0 ? 0 : 1));
  });

  // Tokens pass unencrypted: loopback only.
  server.listen(PORT, '127.0.0.1');
}
