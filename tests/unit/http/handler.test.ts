import { createServer } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { firstOf, type ApiHandler } from '../../../src/http/handler.js';
import { textResponse } from '../../../src/http/response.js';
import {
  allowAnonymous,
  allowEverybody,
  createApiServer,
  createEvents,
  createHealth,
  memoryStore,
} from '../../../src/index.js';
import { createMetrics } from '../../../src/metrics.js';

const request = { method: 'GET', url: '/' };
const response = textResponse(200, 'ok');
const other = textResponse(200, 'other');

describe('firstOf', () => {
  test('returns the first response and calls no later handler', () => {
    const late = vi.fn(() => other);
    expect(
      firstOf(
        () => undefined,
        () => response,
        late,
      )(request),
    ).toBe(response);
    expect(late).not.toHaveBeenCalled();
  });

  test('is undefined when no handler responds', () => {
    expect(firstOf(() => undefined)(request)).toBeUndefined();
  });

  test('refuses to be made of no handlers', () => {
    expect(() => firstOf()).toThrow(new TypeError('firstOf: give at least one handler, such as health.handle'));
  });

  test('continues after a promise of undefined', async () => {
    const none: ApiHandler = () => Promise.resolve(undefined);
    const joined = firstOf(
      none,
      () => undefined,
      none,
      () => response,
      () => other,
    );
    expect(await joined(request)).toBe(response);
    expect(await firstOf(none, none)(request)).toBeUndefined();
  });

  test('calls handlers in order, never the next before the previous has responded', async () => {
    const order: string[] = [];
    const slow: ApiHandler = async () => {
      order.push('slow begins');
      await Promise.resolve();
      order.push('slow ends');
      return undefined;
    };
    const quick: ApiHandler = () => {
      order.push('quick');
      return response;
    };
    await firstOf(slow, quick)(request);
    expect(order).toEqual(['slow begins', 'slow ends', 'quick']);
  });

  test('passes errors on, thrown or rejected', async () => {
    const error = new Error('x');
    const throws: ApiHandler = () => {
      throw error;
    };
    expect(() => firstOf(throws, () => response)(request)).toThrow(error);
    await expect(firstOf(() => Promise.resolve(undefined), throws)(request)).rejects.toBe(error);
    await expect(
      firstOf(
        () => Promise.reject(error),
        () => response,
      )(request),
    ).rejects.toBe(error);
  });

  test('refuses arguments that are not functions, naming each', () => {
    expect(() => firstOf(() => response, {} as never, undefined as never)).toThrow(
      new TypeError(
        'firstOf: argument 2 must be a handler, such as health.handle; argument 3 must be a handler, such as health.handle',
      ),
    );
  });
});

describe('a handler that is given to a server or a framework as it is', () => {
  const hooks = { authenticate: allowAnonymous(), authorize: allowEverybody() };
  const health = createHealth();
  const events = createEvents({ apiDomain: 'example.com', store: memoryStore(), ...hooks });

  test.each<[string, ApiHandler]>([
    ['health.handle', health.handle],
    ['events.handle', events.handle],
    ['the result of events.as', events.as({ name: 'me' })],
    ['metrics.handle', createMetrics().handle],
    ['the handle of an API server', createApiServer({ health, events, ...hooks }).handle],
    ['the result of firstOf', firstOf(() => undefined)],
  ])('throws what to do, and does not let the client wait: %s', (_, handle) => {
    const refused = new TypeError('pass the handler to a bridge such as toNodeListener');
    // As node:http, Koa, Hono and Fastify call it.
    for (const second of [createServer(), () => undefined]) {
      expect(() => (handle as (...given: unknown[]) => unknown)(request, second)).toThrow(refused);
    }
  });

  test('may be called by map', () => {
    expect([{ method: 'GET', url: '/readyz' }].map(health.handle)).toMatchObject([{ status: 200 }]);
  });
});
