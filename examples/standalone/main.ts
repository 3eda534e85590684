// The core of `kube-vitals serve`: health and events on a server of their own, and a shutdown in order.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { allowAuthenticated, createApiServer, createEvents, createHealth } from 'kube-vitals';
import { memoryStore, staticTokens, storeCheck } from 'kube-vitals';
import { installShutdown, toNodeListener } from 'kube-vitals/node';

const access = {
  authenticate: staticTokens({ 's3cret-of-the-examples': { name: 'ops' } }),
  authorize: allowAuthenticated(),
};
const store = memoryStore(); // or sqliteStore, postgresStore, etcdStore, see docs/choosing-a-store.md
const health = createHealth(access);
health.add(storeCheck(store));
const events = createEvents({ ...access, apiDomain: 'example.com', store });
const api = createApiServer({ ...access, health, events });

const server = createServer(toNodeListener(api.handle));
installShutdown({ server, health, events, store });

// Tokens pass unencrypted: loopback only.
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(`curl -H 'Authorization: Bearer s3cret-of-the-examples' '${url}/apis/events.example.com/v1/events'`);
});
