import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { createClosing } from '../../../../src/bridge/node/closing.js';
import type { NodeExchange } from '../../../../src/bridge/node/node-exchange.js';
import { setAboutToStop } from '../../../../src/bridge/node/stop-listening.js';

class Session extends EventEmitter {
  closed = false;
  readonly close = vi.fn(() => void (this.closed = true));
}

const overHttp1 = (socket: object = {}) => {
  const res = { shouldKeepAlive: true };
  return { res, exchange: { req: { socket }, res } as unknown as NodeExchange };
};
const overHttp2 = (session: Session) => {
  const stream = { close: () => undefined, session };
  const res = { shouldKeepAlive: true, stream };
  return { res, exchange: { req: { socket: {}, stream }, res } as unknown as NodeExchange };
};

describe('a response over HTTP/1', () => {
  test('announces that it is the last of its connection once the shutdown has begun', () => {
    const controller = new AbortController();
    const { beforeHead } = createClosing(controller.signal);
    const [before, after] = [overHttp1(), overHttp1()];
    beforeHead(before.exchange);
    controller.abort();
    beforeHead(after.exchange);
    expect([before.res.shouldKeepAlive, after.res.shouldKeepAlive]).toEqual([true, false]);
    const late = overHttp1();
    createClosing(controller.signal).beforeHead(late.exchange);
    expect(late.res.shouldKeepAlive).toBe(false);
  });

  test('does not announce that while its server is about to stop, while others wait behind it, or without a signal', () => {
    const { beforeHead } = createClosing(AbortSignal.abort());
    const server = {};
    setAboutToStop(server, true);
    const waiting = { [Symbol.for('kube-vitals.waitingRequests')]: 1 };
    for (const socket of [{ server }, waiting]) {
      const { exchange, res } = overHttp1(socket);
      beforeHead(exchange);
      expect(res.shouldKeepAlive).toBe(true);
    }
    const { exchange, res } = overHttp1();
    createClosing(undefined).beforeHead(exchange);
    expect(res.shouldKeepAlive).toBe(true);
  });
});

describe('a session of HTTP/2', () => {
  test('is closed when the shutdown begins, once, and its responses have no connection header', () => {
    const controller = new AbortController();
    const { beforeHead, onRequest } = createClosing(controller.signal);
    const session = new Session();
    const { exchange, res } = overHttp2(session);
    onRequest(exchange);
    onRequest(exchange);
    expect([session.close.mock.calls.length, session.listenerCount('close')]).toEqual([0, 1]);
    controller.abort();
    onRequest(exchange);
    beforeHead(exchange);
    expect([session.close.mock.calls.length, res.shouldKeepAlive]).toEqual([1, true]);
  });

  test('is closed by its first request after the shutdown, and forgotten when it has closed before', () => {
    const controller = new AbortController();
    const { onRequest } = createClosing(controller.signal);
    const [gone, late] = [new Session(), new Session()];
    onRequest(overHttp2(gone).exchange);
    gone.emit('close');
    controller.abort();
    onRequest(overHttp2(late).exchange);
    expect([gone.close.mock.calls.length, late.close.mock.calls.length]).toEqual([0, 1]);
  });
});
