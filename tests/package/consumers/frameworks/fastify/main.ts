import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { toFastifyPlugin } from 'kube-vitals/fastify';
import { installShutdown } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const app = fastify();
app.register(toFastifyPlugin(handle));
app.get('/own', async () => 'route');
installShutdown({ server: app.server, health, events, store, onReport, exit: false, close: () => app.close() });
await app.listen({ port: 0, host: '127.0.0.1' });
await check((app.server.address() as AddressInfo).port, terminate);
