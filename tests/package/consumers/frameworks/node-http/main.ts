import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const vitals = toNodeListener(handle);
const server = createServer((req, res) =>
  vitals(req, res, () => {
    res.end('route');
  }),
);
installShutdown({ server, health, events, store, onReport, exit: false });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
