import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { afterEach, expect, test, vi } from 'vitest';
import { createResponseBatcher } from '../../../../src/bridge/node/response-batcher.js';
import type { NodeExchange } from '../../../../src/bridge/node/node-exchange.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failed = (_exchange: unknown, error: unknown): never => {
  throw error;
};

const nobody = (): void => undefined;

/** A response that records what was sent. */
const exchangeOf = (sent: unknown[], end?: () => void): NodeExchange =>
  ({
    res: {
      end(content?: string) {
        end?.();
        sent.push(content);
      },
    },
  }) as unknown as NodeExchange;

afterEach(() => {
  vi.useRealTimers();
});

test('the responses of one turn of the event loop are sent after it, in order', async () => {
  const batcher = createResponseBatcher(failed, nobody);
  const sent: unknown[] = [];
  for (const content of ['a', '', 'b']) batcher.end(exchangeOf(sent), content, undefined);
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual(['a', undefined, 'b']);
  batcher.end(exchangeOf(sent), 'c', undefined);
  await nextTurn();
  expect(sent).toEqual(['a', undefined, 'b', 'c']);
});

test('after many responses the first ones are sent without waiting for more', async () => {
  const batcher = createResponseBatcher(failed, nobody);
  const sent: unknown[] = [];
  for (let index = 0; index < 70; index++) batcher.end(exchangeOf(sent), String(index), undefined);
  await Promise.resolve();
  expect(sent.length).toBeGreaterThanOrEqual(32);
  expect(sent.length).toBeLessThan(70);
});

test('each response is sent in the AsyncLocalStorage context of its own request', async () => {
  const current = new AsyncLocalStorage<string>();
  const batcher = createResponseBatcher(failed, nobody);
  const found: unknown[] = [];
  const requests = Array.from({ length: 40 }, (_, index) => String(index));
  for (const request of requests) {
    const exchange = exchangeOf([], () => found.push(current.getStore()));
    current.run(request, () => batcher.end(exchange, '', undefined));
  }
  await nextTurn();
  expect(found).toEqual(requests);
});

test('a response that cannot be sent is reported, and does not delay others', async () => {
  const sent: unknown[] = [];
  const errors: unknown[] = [];
  const batcher = createResponseBatcher((exchange, error) => errors.push([exchange, error]), nobody);
  const broken = exchangeOf(sent, () => failed(undefined, 'broken'));
  batcher.end(broken, 'a', undefined);
  batcher.end(exchangeOf(sent), 'b', undefined);
  await nextTurn();
  expect(errors).toEqual([[broken, 'broken']]);
  expect(sent).toEqual(['b']);
});

test('responses are sent while a test holds the global timers', async () => {
  const turn = nextTurn;
  const real = turn();
  vi.useFakeTimers();
  const batcher = createResponseBatcher(failed, nobody);
  const sent: unknown[] = [];
  batcher.end(exchangeOf(sent), 'a', undefined);
  await real;
  vi.useRealTimers();
  await nextTurn();
  expect(sent).toEqual(['a']);
});

test('responses are sent while a test replaces the functions of node:timers', async () => {
  const real = nextTurn();
  mock.timers.enable({ apis: ['setImmediate'] });
  syncBuiltinESMExports();
  const batcher = createResponseBatcher(failed, nobody);
  const sent: unknown[] = [];
  batcher.end(exchangeOf(sent), 'a', undefined);
  await real;
  mock.timers.reset();
  syncBuiltinESMExports();
  await nextTurn();
  expect(sent).toEqual(['a']);
});

test('a response that its client has not read at once is reported', async () => {
  const pending: unknown[] = [];
  const batcher = createResponseBatcher(failed, (exchange) => pending.push(exchange));
  const slow = exchangeOf([]);
  Object.assign(slow.res, { writableLength: 7 });
  batcher.end(slow, 'a', undefined);
  batcher.end(exchangeOf([]), 'b', undefined);
  await nextTurn();
  expect(pending).toEqual([slow]);
});
