import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { installShutdown, toNodeListener } from 'kube-vitals/node';
import { createServer, plugins } from 'restify';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const app = createServer();
app.pre(toNodeListener(handle));
app.use(plugins.bodyParser());
app.get('/own', (_, res, next) => {
  res.sendRaw('route');
  next();
});
app.listen(0, '127.0.0.1');
const { server } = app;
installShutdown({ server, health, events, store, onReport, exit: false });
await once(server, 'listening');
await check((server.address() as AddressInfo).port, terminate);
