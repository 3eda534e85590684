import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Orders } from '../shop/orders.js';

/** The service as it was before: three routes on plain node:http, and a 404 of its own. */
export function createService(orders: Orders): RequestListener {
  const route = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname } = new URL(req.url ?? '/', 'http://service');
    switch (`${req.method} ${pathname}`) {
      case 'GET /version':
        return respond(res, 200, { service: 'shop', version: '1.2.3' });
      case 'GET /orders':
        return respond(res, 200, await orders.all());
      case 'POST /orders':
        return respond(res, 201, await orders.place(await readJson(req)));
      default:
        return respond(res, 404, { error: 'no such page in this shop' });
    }
  };
  return (req, res) => {
    route(req, res).catch((error: unknown) => {
      const faulty = error instanceof RangeError || error instanceof SyntaxError;
      respond(res, faulty ? 400 : 500, { error: faulty ? error.message : 'something went wrong' });
    });
  };
}

function respond(res: ServerResponse, status: number, value: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) text += chunk as string;
  return JSON.parse(text);
}
