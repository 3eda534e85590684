import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { toHonoMiddleware } from 'kube-vitals/hono';
import { installShutdown } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const app = new Hono();
app.use(toHonoMiddleware(handle));
app.get('/own', (c) => c.text('route'));
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
installShutdown({ server, health, events, store, onReport, exit: false });
if (!server.listening) await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
