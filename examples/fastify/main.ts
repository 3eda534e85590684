import { gracefulClose } from 'kube-vitals/node';
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

  const orders = createOrders({ database, record: vitals.record });
  const app = createService(orders, (fastify) => mountVitals(fastify, vitals));
  limited(app.server);
  const url = await app.listen({ port, host: '127.0.0.1' });
  vitals.started();
  const closeServer = async (): Promise<void> => {
    // First, and limited in time: app.close() alone waits for connections that never sent a request.
    await gracefulClose(app.server);
    await app.close();
  };
  return { url, close: () => vitals.shutDown(closeServer) };
}

await runDirectly(import.meta.url, start);
