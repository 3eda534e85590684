import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { H3, toNodeHandler } from 'h3';
import { toFetchHandler } from 'kube-vitals/fetch';
import { installShutdown } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const vitals = toFetchHandler(handle);
const app = new H3();
app.use(async (event, next) => (await vitals(event.req)) ?? next());
app.get('/own', () => 'route');
const server = createServer((req, res) => void toNodeHandler(app)(req, res));
installShutdown({ server, health, events, store, onReport, exit: false });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
