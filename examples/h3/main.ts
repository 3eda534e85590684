import type { Server } from 'node:http';
import { serve } from 'h3';
import { installShutdown } from 'kube-vitals/node';
import { createDatabase, createOrders } from '../shop/orders.js';
import { limited } from '../shop/limited.js';
import { listen, runDirectly, type Running } from '../shop/running.js';
import { createVitals } from '../shop/vitals.js';
import { mountVitals } from './mount.js';
import { createService } from './service.js';

/** Starts the service with health and events, on h3's server for Node. */
export async function start(port = 0): Promise<Running> {
  const vitals = createVitals();
  const database = createDatabase();
  vitals.addCheck({ name: 'database', check: ({ signal }) => database.ping(signal) });

  const orders = createOrders({ database, recorder: vitals.recorder });
  const app = createService(orders, (h3) => mountVitals(h3, vitals));
  // `manual`, so that it does not listen yet; h3's own shutdown would close the server at the signal.
  const { node } = serve(app, { manual: true, gracefulShutdown: false });
  const server = limited(node?.server as Server);
  const { shutdown } = installShutdown({ server, ...vitals.parts });
  const url = await listen(server, port);
  vitals.started();
  return { url, close: shutdown };
}

await runDirectly(import.meta.url, start);
