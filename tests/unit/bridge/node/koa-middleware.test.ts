import { expect, test } from 'vitest';
import { toKoaMiddleware } from '../../../../src/koa.js';
import { Incoming, Outgoing, settled } from './hand-made.js';

/** A context of Koa whose request has been read by a body parser. */
function contextOf(request: object = {}, more: object = {}) {
  const req = Object.defineProperty(new Incoming(), 'readableDidRead', { value: true });
  return { req, res: new Outgoing(), request, respond: undefined, status: 404, body: undefined, ...more };
}

test.each([
  ['no middleware has responded', {}, [true, false]],
  ['middleware has cleared the body', { body: null }, [true, false]],
  ['a route has another status', { status: 403 }, [true]],
  ['a route has a body', { body: 'no such page' }, [true]],
  ['a route has an empty body', { body: '' }, [true]],
  ['middleware responds without Koa', { respond: false }, [true]],
])('a handler is asked again as the last one, or not, where %s', async (_, left, asked) => {
  const seen: unknown[] = [];
  const context = contextOf();
  const middleware = toKoaMiddleware(({ hasNext }) => void seen.push(hasNext));
  await middleware(context as never, async () => void Object.assign(context, left));
  expect(seen).toEqual(asked);
});

test('a handler is not asked again where middleware has sent the headers', async () => {
  const seen: unknown[] = [];
  const context = contextOf();
  const middleware = toKoaMiddleware(({ hasNext }) => void seen.push(hasNext));
  await middleware(context as never, async () => void (context.res.headersSent = true));
  expect(seen).toEqual([true]);
});

test.each([
  ['Koa’s `body`', {}, { body: 'a' }, 'a'],
  ['Koa’s `rawBody` before its `body`', {}, { body: 'a', rawBody: 'b' }, 'b'],
  ['that of Node’s request before Koa’s', { body: 'c' }, { body: 'a' }, 'c'],
  ['the `rawBody` of Node’s request before Koa’s', { rawBody: 'c' }, { rawBody: 'b' }, 'c'],
  ['Koa’s `rawBody` before the `body` of Node’s request', { body: 'c' }, { rawBody: 'b' }, 'b'],
  ['that of Node’s request where Koa has none', { body: 'c' }, {}, 'c'],
  ['the `rawBody` of Node’s request where Koa has none', { rawBody: 'c' }, {}, 'c'],
])('the body of a request that a parser has read is %s', async (_, ofNode, ofKoa, expected) => {
  const context = contextOf(ofKoa);
  Object.assign(context.req, ofNode);
  const bodies: string[] = [];
  const middleware = toKoaMiddleware(async ({ body }) => {
    bodies.push(Buffer.from((await body?.(100)) ?? '').toString());
    return { status: 200, headers: {}, body: 'ok' };
  });
  void middleware(context as never, async () => undefined);
  await settled();
  expect([bodies, context.res.text]).toEqual([[expected], 'ok']);
});
