import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { NodeIncoming, NodeOutgoing } from '../../../../src/bridge/node/message.js';
import { orderRequests } from '../../../../src/bridge/node/order-requests.js';
import { createRequestOrder, isQueued, queuedRequests } from '../../../../src/bridge/node/request-order.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** A connection that records whether it is read. */
class Socket extends EventEmitter {
  destroyed = false;
  writable = true;
  readonly calls: string[] = [];
  pause(): void {
    this.calls.push('pause');
  }
  resume(): void {
    this.calls.push('resume');
    this.emit('resume');
  }
  destroy(): void {
    this.destroyed = true;
  }
}

class FakeResponse extends EventEmitter {
  socket: Socket | null = null;
  destroyed = false;
  shouldKeepAlive = true;
}

function connection() {
  const clock = fakeClock();
  let timers = 0;
  const order = createRequestOrder({
    ...clock,
    setTimer(callback, delayMs) {
      timers++;
      const timer = clock.setTimer(callback, delayMs);
      return { cancel: () => (timers--, timer.cancel()) };
    },
  });
  const socket = new Socket();
  const begun: number[] = [];
  const skipped: number[] = [];
  const responses: FakeResponse[] = [];
  return {
    responses,
    begun,
    skipped,
    clock,
    socket,
    timers: () => timers,
    send(count: number): void {
      for (let sent = 0; sent < count; sent++) {
        const response = new FakeResponse();
        const index = responses.push(response) - 1;
        order.wait(
          { socket } as unknown as NodeIncoming,
          response as unknown as NodeOutgoing,
          () => begun.push(index),
          () => skipped.push(index),
        );
      }
    },
    /** Node gives the response its turn. */
    async turn(index: number): Promise<void> {
      const response = responses[index] as FakeResponse;
      response.emit('socket', socket);
      response.socket = socket;
      await Promise.resolve();
    },
  };
}

describe('a request that waits for the previous response', () => {
  test('begins when its response gets the connection, and is counted until then', async () => {
    const { begun, send, socket, turn } = connection();
    expect(queuedRequests(socket)).toBe(0);
    send(2);
    expect([begun, queuedRequests(socket)]).toEqual([[], 2]);
    await turn(0);
    expect([begun, queuedRequests(socket)]).toEqual([[0], 1]);
    await turn(1);
    expect([begun, queuedRequests(socket), queuedRequests(null)]).toEqual([[0, 1], 0, 0]);
  });

  test('is skipped once its client has left or ended its side', async () => {
    const { responses, begun, skipped, send, socket, turn } = connection();
    send(2);
    (responses[0] as FakeResponse).destroyed = true;
    await turn(0);
    socket.writable = false;
    await turn(1);
    expect([begun, skipped]).toEqual([[], [0, 1]]);
  });

  test('is skipped when its connection closes, or has closed before', async () => {
    const { begun, skipped, send, socket, turn } = connection();
    send(3);
    await turn(0);
    socket.destroy();
    socket.emit('close');
    expect([begun, skipped]).toEqual([[0], [1, 2]]);
    send(1);
    expect([begun, skipped]).toEqual([[0], [1, 2, 3]]);
  });

  test('leaves no timer behind when its connection closes, whether that was paused or not', () => {
    for (const count of [1, 4]) {
      const { send, socket, timers } = connection();
      send(count);
      socket.emit('close');
      expect(timers()).toBe(0);
    }
  });

  test('is a request over HTTP/1 whose response has no connection yet', () => {
    const socket = new Socket();
    const asks = (req: object, res: object): boolean => isQueued(req as NodeIncoming, res as NodeOutgoing);
    expect(asks({ socket }, { socket: null })).toBe(true);
    expect(asks({ socket }, { socket })).toBe(false);
    expect(asks({ socket: null }, { socket: null })).toBe(false);
    expect(asks({ socket }, { socket: null, stream: { close: () => undefined } })).toBe(false);
  });
});

describe('a connection with waiting requests', () => {
  test('is not read while there are four, and read again when there are fewer', async () => {
    const { send, socket, timers, turn } = connection();
    send(3);
    expect(socket.calls).toEqual([]);
    send(1);
    expect([socket.calls, timers()]).toEqual([['pause'], 1]);
    send(1);
    expect(socket.calls).toEqual(['pause']);
    await turn(0);
    expect(socket.calls).toEqual(['pause']);
    await turn(1);
    expect([socket.calls, timers()]).toEqual([['pause', 'resume'], 0]);
    await turn(2);
    expect(socket.calls).toEqual(['pause', 'resume']);
  });

  test('is read again after a second, because only reading shows that its client has left', () => {
    const { clock, send, socket } = connection();
    send(4);
    clock.advance(999);
    expect(socket.calls).toEqual(['pause']);
    clock.advance(1);
    expect(socket.calls).toEqual(['pause', 'resume']);
    send(1);
    expect(socket.calls).toEqual(['pause', 'resume', 'pause']);
  });

  test('stays unread when Node resumes it meanwhile', () => {
    const { send, socket } = connection();
    send(3);
    socket.emit('resume');
    expect(socket.calls).toEqual([]);
    send(1);
    socket.emit('resume');
    expect(socket.calls).toEqual(['pause', 'pause']);
  });

  test('leaves no timer behind when it closes', () => {
    const { send, socket, timers } = connection();
    send(4);
    socket.emit('close');
    expect(timers()).toBe(0);
  });

  test('ends with the thousandth request, and later ones never begin', async () => {
    const { responses, begun, clock, send, socket, turn } = connection();
    send(1_002);
    expect(responses.map(({ shouldKeepAlive }) => shouldKeepAlive).indexOf(false)).toBe(999);
    expect(responses.filter(({ shouldKeepAlive }) => !shouldKeepAlive)).toHaveLength(1);
    clock.advance(10_000);
    expect(socket.calls).toEqual(['pause']);
    for (const index of [999, 1_000, 1_001]) await turn(index);
    expect(begun).toEqual([999]);
  });
});

describe('orderRequests', () => {
  test('refuses an argument that is not a server, with every fault', () => {
    expect(() => orderRequests(undefined as never)).toThrow(
      'orderRequests: the argument must be a server, as createServer(), listen() or serve() returned it',
    );
    expect(() => orderRequests({} as never, { clock: {} as never })).toThrow(/the argument must be .*; clock must be/);
  });

  test('orders the requests of a server once, and leaves other events alone', async () => {
    const server = Object.assign(new EventEmitter(), { close: () => undefined });
    const emit = orderRequests(server as never) as unknown as EventEmitter;
    const own = emit.emit;
    expect([emit, (orderRequests(server as never) as unknown as EventEmitter).emit]).toEqual([server, own]);
    const seen: unknown[] = [];
    for (const event of ['request', 'checkContinue', 'other']) server.on(event, () => seen.push(event));
    const socket = new Socket();
    const waiting = new FakeResponse();
    server.emit('request', { socket }, waiting);
    server.emit('checkContinue', { socket }, Object.assign(new FakeResponse(), { socket }));
    server.emit('other', 1);
    expect([seen, server.emit('unheard')]).toEqual([['checkContinue', 'other'], false]);
    waiting.emit('socket', socket);
    waiting.socket = socket;
    await Promise.resolve();
    expect(seen).toEqual(['checkContinue', 'other', 'request']);
  });
});
