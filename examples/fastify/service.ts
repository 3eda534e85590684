import fastify, { type FastifyInstance } from 'fastify';
import type { Orders } from '../shop/orders.js';

/**
 * The service as it was before, but for `mount`: the place before its routes where others may add hooks. Fastify reads and
 * parses every JSON body before a route sees it.
 */
export function createService(orders: Orders, mount: (app: FastifyInstance) => void): FastifyInstance {
  const app = fastify();
  mount(app);
  app.get('/version', async () => ({ service: 'shop', version: '1.2.3' }));
  app.get('/orders', async () => orders.all());
  app.post('/orders', async (request, reply) => reply.code(201).send(await orders.place(request.body)));
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ error: 'no such page in this shop' }));
  app.setErrorHandler((error, _, reply) => {
    const faulty = error instanceof RangeError || error instanceof SyntaxError;
    return reply.code(faulty ? 400 : 500).send({ error: faulty ? error.message : 'something went wrong' });
  });
  return app;
}
