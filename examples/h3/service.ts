import { H3, onError } from 'h3';
import type { Orders } from '../shop/orders.js';

/** The service as it was before, but for `mount`: the place before its routes where others may add middleware. */
export function createService(orders: Orders, mount: (app: H3) => void): H3 {
  const app = new H3({ silent: true });
  app.use(
    onError(({ cause }) => {
      const faulty = cause instanceof RangeError || cause instanceof SyntaxError;
      return json({ error: faulty ? cause.message : 'something went wrong' }, faulty ? 400 : 500);
    }),
  );
  mount(app);
  app.get('/version', () => ({ service: 'shop', version: '1.2.3' }));
  app.get('/orders', () => orders.all());
  app.post('/orders', async ({ req }) => json(await orders.place(await req.json()), 201));
  app.all('/**', () => json({ error: 'no such page in this shop' }, 404));
  return app;
}

function json(value: unknown, status: number): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
}
