import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Server } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import {
  type ClosableServer,
  gracefulClose,
  type GracefulCloseOptions,
} from '../../../../src/bridge/node/graceful-close.js';
import { isAboutToStop } from '../../../../src/bridge/node/stop-listening.js';
import type { ConnectionTracker } from '../../../../src/bridge/node/track-connections.js';
import { type FakeClock, fakeClock } from '../../../../src/testing/fake-clock.js';

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A tracker that records its calls. */
function tracker() {
  const calls = { drained: 0, cut: 0, idle: [] as number[] };
  const connections: ConnectionTracker = {
    startDraining: () => void calls.drained++,
    open: () => ({ connections: 0, requests: 0 }),
    closeIdle: (idleMs) => void calls.idle.push(idleMs),
    cut: () => void calls.cut++,
  };
  return { connections, calls };
}

/** A server that ends on request. */
function server(more: Partial<ClosableServer> = {}) {
  const calls = { closed: 0, idle: 0, all: 0 };
  let callback: (() => void) | undefined;
  const one: ClosableServer = {
    close(given) {
      calls.closed++;
      callback = given as () => void;
    },
    closeIdleConnections: () => void calls.idle++,
    closeAllConnections: () => void calls.all++,
    ...more,
  };
  return { one, calls, end: () => callback?.() };
}

/** Begins to close a server. */
function closing(one: ClosableServer, options: GracefulCloseOptions = {}) {
  const clock: FakeClock = fakeClock();
  let result: boolean | undefined;
  void gracefulClose(one, { clock, ...options }).then((value) => (result = value));
  return {
    clock,
    async advance(ms: number): Promise<boolean | undefined> {
      clock.advance(ms);
      await turns();
      return result;
    },
  };
}

describe('a server that closes in time', () => {
  test('resolves to true, and nothing is left to do', async () => {
    const { connections, calls } = tracker();
    const { end, one, calls: serverCalls } = server();
    const { advance } = closing(one, { connections });
    expect(await advance(0)).toBeUndefined();
    expect([serverCalls.closed, calls.drained]).toEqual([1, 1]);
    await advance(150);
    expect(calls.idle).toEqual([2_000, 2_000, 2_000]);
    end();
    end();
    expect(await advance(60_000)).toBe(true);
    expect([calls, serverCalls]).toMatchObject([
      { cut: 0, idle: { length: 3 } },
      { all: 0, idle: 0, closed: 1 },
    ]);
  });

  test('is about to stop until it has stopped listening, and drains only then', async () => {
    const { connections, calls } = tracker();
    const { one, calls: serverCalls } = server();
    const { advance } = closing(one, { connections });
    expect([isAboutToStop({ server: one }), serverCalls.closed, calls.drained]).toEqual([true, 0, 0]);
    await advance(0);
    expect([isAboutToStop({ server: one }), serverCalls.closed, calls.drained]).toEqual([false, 1, 1]);
  });
});

describe('connections without a request', () => {
  test('are looked for every 50 ms, with a grace period of at most four fifths of the drain timeout', async () => {
    for (const [options, graceMs] of [
      [{ idleGraceMs: 700 }, 700],
      [{ idleGraceMs: 700, drainTimeoutMs: 500 }, 400],
      [{ drainTimeoutMs: 1_000 }, 800],
      [{ idleGraceMs: Infinity, drainTimeoutMs: Infinity }, Infinity],
    ] as const) {
      const { connections, calls } = tracker();
      const { advance } = closing(server().one, { connections, ...options });
      await advance(49);
      expect(calls.idle).toEqual([]);
      await advance(1);
      expect(calls.idle).toEqual([graceMs]);
      await advance(100);
      expect(calls.idle).toEqual([graceMs, graceMs, graceMs]);
    }
  });

  test('are closed as soon as the server has stopped listening where there is no grace period', async () => {
    const { connections, calls } = tracker();
    const { advance } = closing(server().one, { connections, idleGraceMs: 0 });
    await advance(0);
    expect(calls.idle).toEqual([0]);
    const patient = tracker();
    await closing(server().one, { connections: patient.connections, idleGraceMs: 1 }).advance(0);
    expect(patient.calls.idle).toEqual([]);
  });

  test('are closed by the server itself once in each grace period where there is no tracker', async () => {
    const { one, calls } = server();
    const { advance } = closing(one, { idleGraceMs: 200 });
    await advance(0);
    for (const [ms, idle] of [
      [199, 0],
      [1, 1],
      [199, 1],
      [1, 2],
    ] as const) {
      await advance(ms);
      expect(calls.idle).toBe(idle);
    }
    const plain = server({ closeIdleConnections: undefined as never });
    await expect(closing(plain.one, { idleGraceMs: 10 }).advance(100)).resolves.toBeUndefined();
  });

  test('are tracked from the start of the shutdown where the server emits its connections', async () => {
    const emitter = Object.assign(new EventEmitter(), server().one);
    const { advance } = closing(emitter, { idleGraceMs: 100 });
    const socket = Object.assign(new EventEmitter(), { end: vi.fn(), destroy: vi.fn() });
    emitter.emit('connection', socket);
    await advance(0);
    await advance(99);
    expect(socket.end).not.toHaveBeenCalled();
    await advance(51);
    expect(socket.end).toHaveBeenCalledOnce();
    for (const part of ['on', 'prependListener'] as const) {
      const half = { ...server().one, [part]: () => undefined };
      await expect(closing(half).advance(100)).resolves.toBeUndefined();
    }
  });
});

describe('a server that does not close in time', () => {
  test('is cut off at the drain timeout, and resolves to false when its connections have ended', async () => {
    const { connections, calls } = tracker();
    const { end, one, calls: serverCalls } = server();
    const { advance } = closing(one, { connections, drainTimeoutMs: 300 });
    expect(await advance(299)).toBeUndefined();
    expect([calls.cut, serverCalls.all]).toEqual([0, 0]);
    expect(await advance(1)).toBeUndefined();
    expect([calls.cut, serverCalls.all]).toEqual([1, 1]);
    end();
    expect(await advance(0)).toBe(false);
  });

  test('resolves to false with connections left where they cannot be destroyed', async () => {
    const { one } = server({ closeAllConnections: undefined as never });
    expect(await closing(one, { drainTimeoutMs: 300 }).advance(300)).toBe(false);
    // A tracker destroys them, and then the server ends.
    const tracked = server({ closeAllConnections: undefined as never });
    const { advance } = closing(tracked.one, { connections: tracker().connections, drainTimeoutMs: 300 });
    expect(await advance(300)).toBeUndefined();
    tracked.end();
    expect(await advance(0)).toBe(false);
    expect(await closing(server().one, { drainTimeoutMs: 300 }).advance(300)).toBeUndefined();
  });

  test('stops listening even if its time is over before that', async () => {
    const { one, calls } = server();
    await closing(one, { drainTimeoutMs: 0 }).advance(0);
    expect([calls.closed, calls.all]).toEqual([1, 1]);
  });
});

describe('a server of Node', () => {
  async function listening(): Promise<{ readonly one: Server; readonly idle: ReturnType<typeof connect> }> {
    const one = createServer((_request, response) => response.end('x')).listen(0, '127.0.0.1');
    await once(one, 'listening');
    const idle = connect((one.address() as AddressInfo).port, '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(idle, 'data');
    return { one, idle };
  }

  test('keeps its idle connections when it stops listening, and ends its own timers when it has closed', async () => {
    const { one, idle } = await listening();
    const close = vi.spyOn(one, 'close');
    const ended = vi.fn();
    idle.on('end', ended);
    const { connections } = tracker();
    const { advance } = closing(one, { connections, idleGraceMs: 100 });
    await advance(200);
    await vi.waitFor(() => expect(one.listening).toBe(false));
    expect([close.mock.calls.length, ended.mock.calls.length]).toEqual([0, 0]);
    idle.destroy();
    await vi.waitFor(async () => expect(await advance(0)).toBe(true));
    expect(close).toHaveBeenCalledOnce();
  });
});

test.each([
  [
    'no server',
    [undefined],
    'the first argument must be the server to close, as createServer() or listen() returned it',
  ],
  ['a number', [8080], 'the first argument must be the server to close'],
  ['half a tracker', [server().one, { connections: { startDraining: () => undefined, cut: () => undefined } }], 'connections must be what trackConnections() returned'], // prettier-ignore
  ['a negative time', [server().one, { drainTimeoutMs: -1, idleGraceMs: -1 }], 'drainTimeoutMs must be'],
  ['an invalid clock', [server().one, { clock: {} }], 'clock must be'],
  ['an unknown option', [server().one, { timeoutMs: 1 }], 'there is no option "timeoutMs"'],
])('%s is refused with a TypeError, before anything is closed', (_, given, message) => {
  const close = (): unknown => gracefulClose(...(given as unknown as Parameters<typeof gracefulClose>));
  expect(close).toThrow(TypeError);
  expect(close).toThrow(message);
});
