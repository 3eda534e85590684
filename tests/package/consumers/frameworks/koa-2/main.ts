import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { toKoaMiddleware } from 'kube-vitals/koa';
import { installShutdown } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const app = new Koa();
app.use(toKoaMiddleware(handle));
app.use((ctx) => void (ctx.body = 'route'));
const server = app.listen(0, '127.0.0.1');
installShutdown({ server, health, events, store, onReport, exit: false });
await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
