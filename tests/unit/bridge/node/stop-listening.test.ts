import { EventEmitter } from 'node:events';
import { Server } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isAboutToStop, setAboutToStop, stopListening } from '../../../../src/bridge/node/stop-listening.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

/** Enough turns of the event loop for a server that has nothing to accept. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function bench(withinMs: number, server: object = new Server()) {
  const clock = fakeClock();
  const handedOver: unknown[] = [];
  let stops = 0;
  if (server instanceof Server) server.on('connection', (socket) => handedOver.push(socket));
  const stopNow = stopListening(server, clock, withinMs, () => void stops++);
  return {
    clock,
    handedOver,
    stopNow,
    stops: () => stops,
    connect(): EventEmitter & { destroyed: boolean } {
      const socket = Object.assign(new EventEmitter(), { destroyed: false });
      (server as Server).emit('connection', socket as never);
      return socket;
    },
    async advance(ms: number): Promise<number> {
      clock.advance(ms);
      await turns();
      return stops;
    },
  };
}

describe('a server that is to stop listening', () => {
  test('stops when no connection has come for 100 ms, once', async () => {
    const { advance, stopNow, stops } = bench(1_000);
    expect(await advance(99)).toBe(0);
    expect(await advance(1)).toBe(1);
    stopNow();
    expect(await advance(10_000)).toBe(1);
    expect(stops()).toBe(1);
  });

  test('waits again after each connection, and 500 ms at the longest', async () => {
    const { advance, connect } = bench(1_000);
    for (let ms = 0; ms < 450; ms += 50) {
      connect();
      expect(await advance(50)).toBe(0);
    }
    connect();
    expect(await advance(49)).toBe(0);
    expect(await advance(1)).toBe(1);
  });

  test('waits for 100 ms after its last connection', async () => {
    const { advance, connect } = bench(1_000);
    await advance(60);
    connect();
    expect(await advance(99)).toBe(0);
    expect(await advance(101)).toBe(1);
  });

  test('waits no longer than the given limit', async () => {
    const busy = bench(30);
    busy.connect();
    expect(await busy.advance(29)).toBe(0);
    busy.connect();
    expect(await busy.advance(1)).toBe(1);
    expect(await bench(0).advance(0)).toBe(1);
  });

  test('stops in the next turns of the event loop where it does not show its connections', async () => {
    const { advance, stops } = bench(1_000, new EventEmitter());
    expect(stops()).toBe(0);
    expect(await advance(0)).toBe(1);
  });

  test('waits for a turn in which nothing was accepted', async () => {
    const { advance, clock, connect, handedOver, stops } = bench(1_000);
    clock.advance(100);
    for (let turn = 0; turn < 20; turn++) {
      connect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([stops(), handedOver.length]).toEqual([0, 0]);
    expect(await advance(0)).toBe(1);
    expect(handedOver).toHaveLength(20);
  });

  test('waits for a turn that took no time, and 250 ms at the longest', async () => {
    const { clock, stops } = bench(1_000);
    clock.advance(100);
    const turn = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
      return stops();
    };
    await turn(0);
    for (let count = 0; count < 25; count++) expect(await turn(10)).toBe(0);
    expect(await turn(10)).toBe(1);
  });

  test('stops at once on request, and not again when it would have been time', async () => {
    const { advance, connect, handedOver, stopNow, stops } = bench(1_000);
    connect();
    stopNow();
    expect([stops(), handedOver.length]).toEqual([1, 1]);
    stopNow();
    expect(await advance(10_000)).toBe(1);
  });
});

describe('a connection that comes meanwhile', () => {
  test('is handed to the server once it has stopped, in order, and later ones at once', async () => {
    const { advance, connect, handedOver } = bench(1_000);
    const held = [connect(), connect()];
    expect(handedOver).toEqual([]);
    await advance(500);
    expect(handedOver).toEqual(held);
    const later = connect();
    expect(handedOver).toEqual([...held, later]);
  });

  test('is not handed over when it breaks off, and its error is caught', async () => {
    const { advance, connect, handedOver } = bench(1_000);
    const [broken, whole] = [connect(), connect()];
    expect(() => broken.emit('error', new Error('reset'))).not.toThrow();
    broken.destroyed = true;
    await advance(500);
    expect(handedOver).toEqual([whole]);
    // From now on its errors are the server's.
    expect(whole.listenerCount('error')).toBe(0);
  });

  test('delays no other event of the server', () => {
    const server = new Server();
    const seen: unknown[] = [];
    server.on('request' as never, (...values: unknown[]) => seen.push(...values));
    bench(1_000, server);
    expect(server.emit('request' as never, 1, 2)).toBe(true);
    expect(server.emit('unheard' as never)).toBe(false);
    expect(seen).toEqual([1, 2]);
  });

  test('is not held back where the server is not one of Node', async () => {
    const server = new EventEmitter();
    const seen: unknown[] = [];
    server.on('connection', (socket) => seen.push(socket));
    const { advance } = bench(1_000, server);
    server.emit('connection', 'socket');
    expect(seen).toEqual(['socket']);
    expect(await advance(0)).toBe(1);
    expect(seen).toEqual(['socket']);
  });
});

test('a connection shows whether its server is about to stop', () => {
  const server = {};
  expect(isAboutToStop({ server })).toBe(false);
  setAboutToStop(server, true);
  expect(isAboutToStop({ server })).toBe(true);
  setAboutToStop(server, false);
  expect(isAboutToStop({ server })).toBe(false);
  for (const socket of [null, {}, { server: null }, { server: undefined }]) expect(isAboutToStop(socket)).toBe(false);
});
