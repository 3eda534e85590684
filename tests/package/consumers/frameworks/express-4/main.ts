import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const app = express();
app.use(toNodeListener(handle));
app.use(express.json());
app.get('/own', (_, res) => void res.send('route'));
const server = app.listen(0, '127.0.0.1');
installShutdown({ server, health, events, store, onReport, exit: false });
await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
