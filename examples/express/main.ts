import { createServer } from 'node:http';
import { installShutdown } from 'kube-vitals/node';
import { createDatabase, createOrders } from '../shop/orders.js';
import { limited } from '../shop/limited.js';
import { listen, runDirectly, type Running } from '../shop/running.js';
import { createVitals } from '../shop/vitals.js';
import { mountVitals } from './mount.js';
import { createService } from './service.js';

/** Starts the service with health and events. */
export async function start(port = 0): Promise<Running> {
  const vitals = createVitals();
  const database = createDatabase();
  vitals.addCheck({ name: 'database', check: ({ signal }) => database.ping(signal) });

  const orders = createOrders({ database, recorder: vitals.recorder });
  const server = limited(createServer(createService(orders, (app) => mountVitals(app, vitals))));
  const { shutdown } = installShutdown({ server, ...vitals.parts });
  const url = await listen(server, port);
  vitals.started();
  return { url, close: shutdown };
}

await runDirectly(import.meta.url, start);
