import { installShutdown } from 'kube-vitals/node';
import { limited } from '../shop/limited.js';
import { runDirectly, type Running } from '../shop/running.js';
import { createDatabase, createOrders } from '../shop/orders.js';
import { createVitals } from '../shop/vitals.js';
import { mountVitals } from './mount.js';
import { createService } from './service.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const vitals = createVitals();
  const database = createDatabase();
  vitals.addCheck({ name: 'database', check: ({ signal }) => database.ping(signal) });

  const orders = createOrders({ database, recorder: vitals.recorder });
  const app = createService(orders, (fastify) => mountVitals(fastify, vitals));
  limited(app.server);
  const { shutdown } = installShutdown({ server: app.server, ...vitals.parts, close: () => app.close() });
  const url = await app.listen({ port, host: '127.0.0.1' });
  vitals.started();
  return { url, close: shutdown };
}

await runDirectly(import.meta.url, start);
