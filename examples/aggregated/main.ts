// Serves the events of the service through the kube-apiserver of its cluster: docs/guides/aggregation.md explains it.
//   TLS_CERT=tls.crt TLS_KEY=tls.key npx tsx examples/aggregated/main.ts
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createEvents, createHealth, firstOf, memoryStore, storeCheck } from 'kube-vitals';
import { defaultTransport } from 'kube-vitals/client';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { readFrontProxy, rulesOfCluster } from './cluster.js';
import { frontProxy } from './front-proxy.js';

const { TLS_CERT = '/etc/tls/tls.crt', TLS_KEY = '/etc/tls/tls.key', PORT = '8443' } = process.env;

const cluster = await defaultTransport();
const { ca, names } = await readFrontProxy(cluster.handle);

const store = memoryStore();
const health = createHealth();
health.add(storeCheck(store));
const events = createEvents({
  apiDomain: 'example.com',
  store,
  authenticate: frontProxy(names),
  authorize: rulesOfCluster(cluster.handle),
});

const server = createServer(
  {
    cert: readFileSync(TLS_CERT),
    key: readFileSync(TLS_KEY),
    ca,
    requestCert: true,
    rejectUnauthorized: false, // the probes of the kubelet have no certificate
  },
  toNodeListener(firstOf(health.handle, events.handle)),
);
installShutdown({ server, health, events, store, close: () => cluster.close() });
server.listen(Number(PORT), () => {
  console.log(`serves v1.events.example.com on port ${(server.address() as AddressInfo).port}`);
});
