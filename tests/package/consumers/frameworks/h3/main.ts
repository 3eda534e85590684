import { H3, serve } from 'h3';
import { toFetchHandler } from 'kube-vitals/fetch';
import { installShutdown } from 'kube-vitals/node';
import { check, events, handle, health, onReport, store, terminate } from '../service.js';

const vitals = toFetchHandler(handle);
const app = new H3();
app.use(async (event, next) => (await vitals(event.req)) ?? next());
app.get('/own', () => 'route');
const server = serve(app, { port: 0, hostname: '127.0.0.1', gracefulShutdown: false, silent: true });
await server.ready();
installShutdown({ server: server.node!.server!, health, events, store, delayMs: 500, onReport, exit: false });

/** Sends SIGTERM, and waits until /readyz fails: h3 must not have stopped listening by itself. */
async function terminateAndAsk(): Promise<void> {
  terminate();
  const ask = (path: string): Promise<Response> =>
    fetch(new URL(path, server.url), { headers: { connection: 'close' } });
  while ((await ask('/readyz')).ok);
  await ask('/own');
}

await check(Number(new URL(server.url!).port), terminateAndAsk);
