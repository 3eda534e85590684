import { describe, expect, test } from 'vitest';
import { mountInNest, type NestHttpAdapter } from '../../../../src/bridge/node/nest-adapter.js';
import { Incoming, Outgoing } from './hand-made.js';

type Layer = { readonly handle: { readonly name: string } };

const layer = (name: string): Layer => ({ handle: { name } });
const handler = (): undefined => undefined;

/** An adapter whose middleware become layers of a stack, as in Express, and where the stack can be seen. */
function adapterWith(stack: Layer[], instance: unknown): NestHttpAdapter {
  return {
    getType: () => 'express',
    getInstance: () => instance,
    getHttpServer: () => undefined,
    use: () => void stack.push(layer('ours')),
  };
}

const names = (stack: readonly Layer[]): string[] => stack.map(({ handle }) => handle.name);

describe('mountInNest', () => {
  const before = ['query', 'helmet', 'jsonParser', 'urlencodedParser', 'later'];

  test.each([
    ['Express 5', (stack: Layer[]): object => ({ router: { stack } })],
    [
      'Express 4',
      (stack: Layer[]): object => ({
        _router: { stack },
        get router(): never {
          throw new Error("'app.router' is deprecated!");
        },
      }),
    ],
  ])('takes the place before the first body parser of %s', (_version, instance) => {
    const stack = before.map(layer);
    const afterRoutes = mountInNest(adapterWith(stack, instance(stack)), handler, ['', '/ops'], {});
    expect(names(stack)).toEqual(['query', 'helmet', 'ours', 'ours', 'jsonParser', 'urlencodedParser', 'later']);
    afterRoutes();
    expect(names(stack).slice(-3)).toEqual(['later', 'ours', 'ours']);
  });

  test('passes a request that is not one of the handler’s on to what follows', async () => {
    const middleware: Parameters<NestHttpAdapter['use']>[0][] = [];
    const adapter = { ...adapterWith([], {}), use: (one: (typeof middleware)[number]) => void middleware.push(one) };
    mountInNest(adapter, handler, [''], {});
    let passed = 0;
    middleware[0]?.(new Incoming() as never, new Outgoing() as never, () => void passed++);
    expect(passed).toBe(1);
  });

  test('is the last so far where there is no body parser, and where the stack cannot be seen', () => {
    const without = [layer('query')];
    mountInNest(adapterWith(without, { router: { stack: without } }), handler, [''], {});
    expect(names(without)).toEqual(['query', 'ours']);
    const hidden = before.map(layer);
    mountInNest(adapterWith(hidden, {}), handler, [''], {});
    expect(names(hidden)).toEqual([...before, 'ours']);
  });
});
