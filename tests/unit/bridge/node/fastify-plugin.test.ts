import fastify, { type FastifyInstance } from 'fastify';
import { expect, test, vi } from 'vitest';
import { toFastifyPlugin } from '../../../../src/fastify.js';

const plugin = () =>
  toFastifyPlugin(({ method, url, hasNext }) =>
    url.startsWith('/ours') ? { status: 200, headers: {}, body: `${method} ${url} ${hasNext}` } : undefined,
  );

/** A service in which the plugin is registered in several ways. */
const REGISTERED: Readonly<Record<string, (service: FastifyInstance) => unknown>> = {
  'at the root': (service) => service.register(plugin()),
  'in a plugin without a prefix': (service) => service.register(async (inner) => void inner.register(plugin())),
  'with a prefix': (service) => service.register(plugin(), { prefix: '/ops' }),
  'in a plugin with a prefix': (service) =>
    service.register(async (inner) => void inner.register(plugin()), { prefix: '/ops' }),
  'with a prefix in a plugin without one': (service) =>
    service.register(async (inner) => void inner.register(plugin(), { prefix: '/ops' })),
};

async function answers(registered: string, method: 'DELETE' | 'OPTIONS', path: string): Promise<string> {
  const service = fastify();
  REGISTERED[registered]?.(service);
  const { statusCode, body } = await service.inject({ method, url: path });
  await service.close();
  return statusCode === 200 ? body : String(statusCode);
}

test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
  'a plugin without a prefix in another one serves %s',
  async (method) => {
    const service = fastify();
    REGISTERED['in a plugin without a prefix']?.(service);
    const { statusCode, headers } = await service.inject({ method, url: '/ours' });
    expect([statusCode, headers['content-length']]).toEqual([200, String(`${method} /ours false`.length)]);
    await service.close();
  },
);

test.each([
  ['at the root', '/ours', 'OPTIONS /ours false'],
  ['in a plugin without a prefix', '/ours', '404'],
  ['with a prefix', '/ops/ours', 'OPTIONS /ours false'],
  ['in a plugin with a prefix', '/ops/ours', 'OPTIONS /ours false'],
  ['with a prefix in a plugin without one', '/ops/ours', 'OPTIONS /ours false'],
])('OPTIONS is served unless the plugin is in another one without a prefix: %s', async (registered, path, expected) => {
  expect(await answers(registered, 'OPTIONS', path)).toBe(expected);
});

test.each(Object.keys(REGISTERED))(
  'what is not one of the paths of the handler is unknown to Fastify: %s',
  async (registered) => {
    expect(await answers(registered, 'DELETE', '/other')).toBe('404');
    expect(await answers(registered, 'DELETE', '/ops/other')).toBe('404');
  },
);

test('a plugin at the root leaves other paths, and what a handler leaves to routes, to the routes of the service', async () => {
  const service = fastify();
  void service.register(
    toFastifyPlugin(({ url, hasNext }) =>
      url === '/last' && !hasNext ? { status: 200, headers: {}, body: 'last' } : undefined,
    ),
  );
  service.get('/own', () => 'own');
  service.post('/last', () => 'own');
  expect((await service.inject('/own')).body).toBe('own');
  expect((await service.inject('/last')).body).toBe('last');
  expect((await service.inject({ method: 'POST', url: '/last' })).body).toBe('own');
  await service.close();
});

test('an error that no `onError` gets is a warning of the process that names the plugin', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const service = fastify();
  void service.register(
    toFastifyPlugin(() => {
      throw new Error('ours');
    }),
  );
  expect((await service.inject('/')).statusCode).toBe(500);
  await service.close();
  expect(emitWarning.mock.calls.join()).toContain('toFastifyPlugin: handler');
  emitWarning.mockRestore();
});
