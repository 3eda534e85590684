import { expect, test, vi } from 'vitest';
import { createHealth } from '../../../../src/health.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import { toNodeListener } from '../../../../src/node.js';
import { Incoming, serve, settled } from './hand-made.js';

const MISPLACED = new TypeError(
  'a listener was called without a response of Node: pass it to createServer or to app.use of Express, and handlers such as health.handle to toNodeListener; Fastify, Koa and Hono have functions of their own in kube-vitals/fastify, koa and hono',
);

test('a listener that was passed in place of a handler causes an error that explains what to do', async () => {
  const inner = toNodeListener(createHealth().handle) as unknown as ApiHandler;
  const onError = vi.fn();
  serve(inner, new Incoming(), { onError });
  await settled();
  expect(onError.mock.calls).toEqual([[MISPLACED, 'handler']]);
});

test('a listener that was given to a framework with objects of its own throws what to do', () => {
  const listener = toNodeListener(createHealth().handle) as unknown as (...given: unknown[]) => void;
  // Koa and Hono: a context and next. Hooks of Fastify: a request, a reply and done. A plugin of Fastify: an instance.
  for (const given of [
    [{ url: '/readyz' }, async () => undefined],
    [{ url: '/readyz' }, { send: () => undefined }, () => undefined],
    [{ register: () => undefined }, {}, () => undefined],
  ]) {
    expect(() => listener(...given)).toThrow(MISPLACED);
  }
});

test('a request for a path that is not one of the handler’s gets a 404 where nothing follows the listener', async () => {
  const onError = vi.fn();
  const res = serve(() => undefined, new Incoming(), { onError });
  await settled();
  expect([res.status, res.text, onError.mock.calls]).toEqual([404, '404 page not found\n', []]);
});

test('a request outside of the base path gets a 404, and the handler is not called', async () => {
  const handler = vi.fn<ApiHandler>(() => undefined);
  const res = serve(handler, new Incoming(), { basePath: '/ops' });
  await settled();
  expect([res.status, handler.mock.calls.length]).toEqual([404, 0]);
});
