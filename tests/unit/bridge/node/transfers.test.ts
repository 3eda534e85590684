import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { Pump } from '../../../../src/bridge/node/pump.js';
import type { NodeExchange } from '../../../../src/bridge/node/node-exchange.js';
import { createTransfers } from '../../../../src/bridge/node/transfers.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** More than a stall timeout of 60 s and the time between two checks. */
const STALLED_MS = 66_000;

interface Connection {
  bytesWritten?: number;
  writableLength: number;
  _handle: { writeQueueSize: number };
}

function transfer({ http2 = false, gone = false } = {}) {
  const clock = fakeClock();
  const socket: Connection = { bytesWritten: 100, writableLength: 10, _handle: { writeQueueSize: 0 } };
  const close = vi.fn();
  const destroySocket = vi.fn();
  const session = { socket: { once: () => ({ destroy: destroySocket }) } };
  const res = Object.assign(new EventEmitter(), {
    socket: socket as Connection | null,
    writableLength: 10,
    destroy: vi.fn(),
    ...(http2 && { stream: { close, session } }),
  });
  const running = { writes: 1, stop: vi.fn() };
  return {
    clock,
    close,
    destroySocket,
    exchange: { gone, req: { socket }, res } as unknown as NodeExchange,
    pump: running as unknown as Pump,
    res,
    running,
    socket,
    transfers: createTransfers(clock, 60_000),
  };
}

describe('a response over HTTP/1 whose client reads nothing', () => {
  test('is broken off after the stall timeout, and its source is released first', () => {
    const { clock, exchange, pump, res, transfers } = transfer();
    const order: string[] = [];
    res.destroy.mockImplementation(() => order.push('destroy'));
    transfers.stream(exchange, pump, () => order.push('stall'));
    clock.advance(STALLED_MS);
    expect(order).toEqual(['stall', 'destroy']);
  });

  test('is kept while the system takes bytes from the socket, also of one large write', () => {
    const { clock, exchange, res, socket, transfers } = transfer();
    transfers.stream(exchange, {} as Pump, () => undefined);
    for (let moved = 0; moved < 5; moved++) {
      clock.advance(30_000);
      socket.bytesWritten = (socket.bytesWritten ?? 0) + 1;
      clock.advance(30_000);
      socket._handle.writeQueueSize += 7;
    }
    // What is handed to the socket and waits there is no progress.
    expect(res.destroy).not.toHaveBeenCalled();
    socket.bytesWritten = (socket.bytesWritten ?? 0) + 5;
    socket.writableLength += 5;
    clock.advance(30_000);
    socket.bytesWritten += 5;
    socket.writableLength += 5;
    clock.advance(36_000);
    expect(res.destroy).toHaveBeenCalledOnce();
  });

  test('is kept when nothing waits for the client, or the response has no connection', () => {
    const idle = transfer();
    idle.socket.writableLength = 0;
    idle.transfers.stream(idle.exchange, idle.pump, () => undefined);
    const unconnected = transfer();
    unconnected.res.socket = null;
    unconnected.transfers.stream(unconnected.exchange, unconnected.pump, () => undefined);
    for (const { clock, res } of [idle, unconnected]) {
      clock.advance(10 * STALLED_MS);
      expect(res.destroy).not.toHaveBeenCalled();
    }
    idle.socket._handle.writeQueueSize = 5;
    idle.clock.advance(STALLED_MS);
    expect(idle.res.destroy).toHaveBeenCalledOnce();
  });

  test('is broken off where the socket counts no bytes', () => {
    const { clock, exchange, pump, res, socket, transfers } = transfer();
    delete socket.bytesWritten;
    transfers.stream(exchange, pump, () => undefined);
    clock.advance(50_000);
    socket.writableLength = 9;
    clock.advance(30_000);
    expect(res.destroy).not.toHaveBeenCalled();
    clock.advance(STALLED_MS);
    expect(res.destroy).toHaveBeenCalledOnce();
  });

  test('is not checked once it has closed, or when its client had left before', () => {
    const closed = transfer();
    closed.transfers.stream(closed.exchange, closed.pump, () => undefined);
    closed.res.emit('close');
    const gone = transfer({ gone: true });
    gone.transfers.plain(gone.exchange, gone.pump);
    for (const { clock, res } of [closed, gone]) {
      clock.advance(20 * STALLED_MS);
      expect([res.destroy.mock.calls.length, res.listenerCount('close')]).toEqual([0, 0]);
    }
  });
});

test('a response in one piece that is read slowly is broken off after ten stall timeouts, a stream never', () => {
  for (const kind of ['plain', 'stream'] as const) {
    const { clock, exchange, pump, res, running, socket, transfers } = transfer();
    if (kind === 'plain') transfers.plain(exchange, pump);
    else transfers.stream(exchange, pump, () => undefined);
    for (let second = 0; second < 599; second++) {
      socket.bytesWritten = (socket.bytesWritten ?? 0) + 1;
      clock.advance(1_000);
    }
    expect(res.destroy).not.toHaveBeenCalled();
    for (let second = 0; second < 10; second++) {
      socket.bytesWritten = (socket.bytesWritten ?? 0) + 1;
      clock.advance(1_000);
    }
    expect([res.destroy.mock.calls.length, running.stop.mock.calls.length]).toEqual(kind === 'plain' ? [1, 1] : [0, 0]);
  }
});

describe('a response over HTTP/2 whose client reads nothing', () => {
  test('is reset with an error, and its connection is destroyed if that has stalled as well', () => {
    const { clock, close, destroySocket, exchange, pump, res, transfers } = transfer({ http2: true });
    transfers.stream(exchange, pump, () => undefined);
    clock.advance(STALLED_MS);
    expect([close.mock.calls, destroySocket.mock.calls.length, res.destroy.mock.calls.length]).toEqual([[[2]], 1, 0]);
  });

  test('is reset alone while its connection makes progress or has nothing to send', () => {
    const { clock, close, destroySocket, exchange, pump, socket, transfers } = transfer({ http2: true });
    transfers.stream(exchange, pump, () => undefined);
    for (let second = 0; second < 66; second++) {
      socket.bytesWritten = (socket.bytesWritten ?? 0) + 1;
      clock.advance(1_000);
    }
    expect([close.mock.calls.length, destroySocket.mock.calls.length]).toEqual([1, 0]);
    const idle = transfer({ http2: true });
    idle.socket.writableLength = 0;
    idle.transfers.stream(idle.exchange, idle.pump, () => undefined);
    idle.clock.advance(STALLED_MS);
    expect([idle.close.mock.calls.length, idle.destroySocket.mock.calls.length]).toEqual([1, 0]);
  });

  test('is kept while its stream takes writes, and while nothing waits', () => {
    const moving = transfer({ http2: true });
    moving.transfers.stream(moving.exchange, moving.pump, () => undefined);
    for (let step = 0; step < 5; step++) {
      moving.running.writes++;
      moving.clock.advance(50_000);
    }
    const idle = transfer({ http2: true });
    idle.res.writableLength = 0;
    idle.transfers.stream(idle.exchange, idle.pump, () => undefined);
    idle.clock.advance(10 * STALLED_MS);
    expect([moving.close.mock.calls.length, idle.close.mock.calls.length]).toEqual([0, 0]);
  });

  test('is reset as well where it is sent in one write', () => {
    const { clock, close, exchange, transfers } = transfer({ http2: true });
    transfers.plain(exchange);
    clock.advance(STALLED_MS);
    expect(close).toHaveBeenCalledOnce();
  });
});
