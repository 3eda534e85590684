import Koa from 'koa';
import type { Orders } from '../shop/orders.js';

/** The service as it was before, but for `mount`: the place before its routes where others may add middleware. */
export function createService(orders: Orders, mount: (app: Koa) => void): Koa {
  const app = new Koa();
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const faulty = error instanceof RangeError || error instanceof SyntaxError;
      ctx.status = faulty ? 400 : 500;
      ctx.body = { error: faulty ? error.message : 'something went wrong' };
    }
  });
  mount(app);
  app.use(async (ctx) => {
    const route = `${ctx.method} ${ctx.path}`;
    if (route === 'GET /version') ctx.body = { service: 'shop', version: '1.2.3' };
    else if (route === 'GET /orders') ctx.body = await orders.all();
    else if (route === 'POST /orders') {
      const order = await orders.place(await json(ctx.req));
      ctx.status = 201;
      ctx.body = order;
    } else {
      ctx.status = 404;
      ctx.body = { error: 'no such page in this shop' };
    }
  });
  return app;
}

async function json(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}
