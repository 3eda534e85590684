import { Hono } from 'hono';
import type { Orders } from '../shop/orders.js';

/** The service as it was before, but for `mount`: the place before its routes where others may add middleware. */
export function createService(orders: Orders, mount: (app: Hono) => void): Hono {
  const app = new Hono();
  mount(app);
  app.get('/version', (c) => c.json({ service: 'shop', version: '1.2.3' }));
  app.get('/orders', async (c) => c.json(await orders.all()));
  app.post('/orders', async (c) => c.json(await orders.place(await c.req.json()), 201));
  app.notFound((c) => c.json({ error: 'no such page in this shop' }, 404));
  app.onError((error, c) => {
    const faulty = error instanceof RangeError || error instanceof SyntaxError;
    return c.json({ error: faulty ? error.message : 'something went wrong' }, faulty ? 400 : 500);
  });
  return app;
}
