import express from 'express';
import type { ErrorRequestHandler, Express } from 'express';
import type { Orders } from '../shop/orders.js';

/** The service as it was before, but for `mount`: the place after its body parser where others may add middleware. */
export function createService(orders: Orders, mount: (app: Express) => void): Express {
  const app = express();
  app.use(express.json());
  mount(app);
  app.get('/version', (_, res) => void res.json({ service: 'shop', version: '1.2.3' }));
  app.get('/orders', async (_, res) => void res.json(await orders.all()));
  app.post('/orders', async (req, res) => void res.status(201).json(await orders.place(req.body)));
  app.use((_, res) => void res.status(404).json({ error: 'no such page in this shop' }));
  app.use(onError);
  return app;
}

const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const faulty = error instanceof RangeError || error instanceof SyntaxError;
  res.status(faulty ? 400 : 500).json({ error: faulty ? error.message : 'something went wrong' });
};
