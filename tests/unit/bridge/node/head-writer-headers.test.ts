import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createHeadWriter } from '../../../../src/bridge/node/head-writer.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { Outgoing } from './hand-made.js';

type Head = Pick<ApiResponse, 'status' | 'headers'>;

const OK: Head = { status: 200, headers: { 'audit-id': 'one', 'content-type': 'text/plain' } };

it.each([204, 304])('a response without a body has no length, whatever the handler says: %i', (status) => {
  const res = new Outgoing();
  createHeadWriter(fakeClock())(res as never, { status, headers: { 'Content-Length': '5', etag: '"1"' } }, 0);
  expect([res.status, res.headers]).toEqual([status, { etag: '"1"' }]);
});

describe('headers that Node processes', () => {
  const responseTo = (): ServerResponse =>
    new ServerResponse(Object.assign(new IncomingMessage(new Socket()), { httpVersionMajor: 1, httpVersionMinor: 1 }));
  /** How many of these heads Node writes. */
  const byNode = (heads: readonly Head[]): number => {
    const write = createHeadWriter(fakeClock());
    return heads.filter((head) => {
      const res = responseTo();
      const store = vi.spyOn(res as unknown as { _storeHeader(): void }, '_storeHeader');
      // Node throws for a trailer, which needs a body in chunks.
      if ('trailer' in head.headers) expect(() => write(res, head, 2)).toThrow(/[Tt]railer/);
      else write(res, head, 2);
      return store.mock.calls.length > 0;
    }).length;
  };

  it.each([
    ...['connection', 'content-disposition', 'content-length', 'cookie', 'date', 'expect', 'keep-alive'],
    ...['proxy-connection', 'trailer', 'transfer-encoding', 'upgrade'],
  ])('are left to it: %s', (name) => {
    const head = { status: 200, headers: { [name]: '1' } };
    expect(byNode([OK, head, head])).toBe(3);
  });

  it('include the length of a body in chunks, which has none', () => {
    const write = createHeadWriter(fakeClock());
    const heads = [2, undefined].map((length) => {
      const res = responseTo();
      write(res, OK, length);
      return String((res as unknown as { _header: unknown })._header);
    });
    expect(heads[0]).toContain('\r\ncontent-length: 2\r\n');
    expect(heads[1]).toMatch(/\r\nTransfer-Encoding: chunked\r\n/i);
    expect(heads[1]).not.toMatch(/content-length/i);
  });

  it('are the only ones that are left to it', () => {
    const head = { status: 200, headers: { 'x-a': '1' } };
    expect(byNode([OK, head, head])).toBe(1);
  });
});

describe('the header Vary', () => {
  const headersOf = (own: ApiResponse['headers'], res: Outgoing): unknown => {
    createHeadWriter(fakeClock())(res as never, { status: 200, headers: own }, 2);
    return res.headers;
  };
  const after = (vary: unknown): Outgoing =>
    Object.assign(new Outgoing(), { getHeader: (name: string) => (name === 'vary' ? vary : undefined) });

  it.each<[string, ApiResponse['headers'], Outgoing, unknown]>([
    ['the handler’s where there is no other', { vary: 'Accept' }, after(undefined), 'Accept'],
    ['the handler’s where the response cannot be asked for another', { Vary: 'Accept' }, new Outgoing(), 'Accept'],
    ['that of middleware, then the handler’s', { vary: ['A', 'B'] }, after('Origin'), 'Origin, A, B'],
    ['several of middleware, then the handler’s', { vary: 'A' }, after(['Origin', 'Cookie']), 'Origin, Cookie, A'],
  ])('of a response is %s', (_, own, res, vary) => {
    expect(headersOf(own, res)).toEqual({ vary, 'content-length': 2 });
  });

  it('is left as it is by a handler without one', () => {
    expect(headersOf({}, after('Origin'))).toEqual({ 'content-length': 2 });
  });
});
