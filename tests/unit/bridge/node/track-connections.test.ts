import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type ConnectionTracker, trackConnections } from '../../../../src/bridge/node/track-connections.js';
import type { TrackableResponse, TrackableServer, TrackableSocket } from '../../../../src/bridge/node/trackable.js';
import { orderRequests } from '../../../../src/bridge/node/order-requests.js';
import { type FakeClock, fakeClock } from '../../../../src/testing/fake-clock.js';

/** A connection that records how it was ended. */
class Socket extends EventEmitter implements TrackableSocket {
  bytesRead = 0;
  readonly ends: string[] = [];
  readonly remotePort: number;
  readonly alpnProtocol: string | undefined;
  readonly remoteAddress: string;
  constructor(remotePort = 1, alpnProtocol?: string, remoteAddress = '127.0.0.1') {
    super();
    this.remotePort = remotePort;
    this.alpnProtocol = alpnProtocol;
    this.remoteAddress = remoteAddress;
  }
  end(): void {
    this.ends.push('end');
  }
  destroy(): void {
    this.ends.push('destroy');
  }
}

class FakeResponse extends EventEmitter implements TrackableResponse {
  headersSent = false;
  shouldKeepAlive = true;
  readonly req: { readonly socket: Socket } | undefined;
  constructor(req?: { readonly socket: Socket }) {
    super();
    this.req = req;
  }
}

/** What `trackConnections` looks at to find out what kind of server it has. */
const HTTP = { closeIdleConnections: () => undefined };
const HTTPS = { ...HTTP, setSecureContext: () => undefined };

interface Bench {
  readonly clock: FakeClock;
  readonly server: EventEmitter;
  readonly tracker: ConnectionTracker;
  connect(socket?: Socket, event?: string): Socket;
  /** A request on the connection. */
  ask(socket: Socket): FakeResponse;
  /** Closes idle connections, in the next turn of the event loop. */
  sweep(idleMs: number): Promise<void>;
}

function bench(kind: object = HTTP): Bench {
  const clock = fakeClock();
  const server = Object.assign(new EventEmitter(), kind, { close: () => undefined });
  const tracker = trackConnections(server as unknown as TrackableServer, { clock });
  return {
    clock,
    server,
    tracker,
    connect(socket = new Socket(), event = 'connection') {
      server.emit(event, socket);
      return socket;
    },
    ask(socket) {
      const response = new FakeResponse({ socket });
      server.emit('request', { socket }, response);
      return response;
    },
    async sweep(idleMs) {
      tracker.closeIdle(idleMs);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('an idle connection', () => {
  test('is ended after the given time without a request, once, and destroyed a second later', async () => {
    const { clock, connect, sweep } = bench();
    const socket = connect();
    clock.advance(99);
    await sweep(100);
    expect(socket.ends).toEqual([]);
    clock.advance(1);
    await sweep(100);
    await sweep(100);
    expect(socket.ends).toEqual(['end']);
    clock.advance(999);
    await sweep(100);
    expect(socket.ends).toEqual(['end']);
    clock.advance(1);
    await sweep(100);
    expect(socket.ends).toEqual(['end', 'destroy']);
  });

  test('is not ended before the system has handed over what it has received', async () => {
    const { connect, sweep } = bench();
    const socket = connect();
    const swept = sweep(0);
    expect(socket.ends).toEqual([]);
    await swept;
    expect(socket.ends).toEqual(['end']);
  });

  test('is destroyed where it cannot be ended', async () => {
    const { connect, sweep } = bench();
    const socket = Object.assign(new Socket(), { end: undefined }) as unknown as Socket;
    connect(socket);
    await sweep(0);
    expect(socket.ends).toEqual(['destroy']);
  });

  test('counts as idle from the start of the draining, and again from every byte that comes', async () => {
    const { clock, connect, sweep, tracker } = bench();
    const socket = connect();
    clock.advance(100);
    tracker.startDraining();
    await sweep(100);
    clock.advance(99);
    socket.bytesRead = 5;
    await sweep(100);
    clock.advance(99);
    await sweep(100);
    expect(socket.ends).toEqual([]);
    clock.advance(1);
    await sweep(100);
    expect(socket.ends).toEqual(['end']);
  });

  test('is idle from the beginning of the draining although bytes came before', async () => {
    const { clock, connect, sweep, tracker } = bench();
    const socket = connect();
    socket.bytesRead = 50;
    tracker.startDraining();
    clock.advance(100);
    await sweep(100);
    expect(socket.ends).toEqual(['end']);
  });

  test('does not count as idle while it has an unfinished response, however long that takes', async () => {
    const { ask, clock, connect, sweep } = bench();
    const socket = connect();
    const [first, second] = [ask(socket), ask(socket)];
    clock.advance(10_000);
    await sweep(0);
    first.emit('close');
    await sweep(0);
    expect(socket.ends).toEqual([]);
    second.emit('close');
    await sweep(0);
    expect(socket.ends).toEqual(['end']);
  });

  test('counts as idle from the end of its last response while the server drains', async () => {
    const { ask, clock, connect, sweep, tracker } = bench();
    const socket = connect();
    tracker.startDraining();
    const response = ask(socket);
    clock.advance(50);
    response.emit('close');
    clock.advance(99);
    await sweep(100);
    expect(socket.ends).toEqual([]);
    clock.advance(1);
    await sweep(100);
    expect(socket.ends).toEqual(['end']);
  });

  test('is tracked from its first request on where it was opened before the tracker was made', async () => {
    const { ask, sweep } = bench();
    const socket = new Socket();
    const response = ask(socket);
    await sweep(0);
    expect(socket.ends).toEqual([]);
    response.emit('close');
    await sweep(0);
    expect(socket.ends).toEqual(['end']);
  });

  test('is forgotten when it closes', async () => {
    const { connect, sweep, tracker } = bench();
    const socket = connect();
    socket.emit('close');
    await sweep(0);
    tracker.cut();
    expect(socket.ends).toEqual([]);
  });
});

describe('a response', () => {
  test('announces that it is the last of its connection once draining has begun, unless its headers are sent', () => {
    const { ask, connect, tracker } = bench();
    const [waiting, sent] = [connect(new Socket(1)), connect(new Socket(2))];
    const [first, second] = [ask(waiting), ask(waiting)];
    const late = ask(sent);
    late.headersSent = true;
    expect([first.shouldKeepAlive, second.shouldKeepAlive]).toEqual([true, true]);
    tracker.startDraining();
    expect([first.shouldKeepAlive, second.shouldKeepAlive, late.shouldKeepAlive]).toEqual([true, false, true]);
    const third = ask(waiting);
    expect([second.shouldKeepAlive, third.shouldKeepAlive]).toEqual([true, false]);
    expect(ask(sent).shouldKeepAlive).toBe(false);
  });

  test('still closes the connection when one before it has ended', () => {
    const { ask, connect, tracker } = bench();
    const socket = connect();
    const [first, second] = [ask(socket), ask(socket)];
    first.emit('close');
    tracker.startDraining();
    expect([first.shouldKeepAlive, second.shouldKeepAlive]).toEqual([true, false]);
  });

  test('is not changed by draining when it has ended', () => {
    const { ask, connect, tracker } = bench();
    const socket = connect();
    const response = ask(socket);
    response.emit('close');
    tracker.startDraining();
    expect(response.shouldKeepAlive).toBe(true);
  });

  test('ends without an error on a connection that is not tracked', () => {
    const { ask, server, connect } = bench();
    const socket = connect();
    const response = ask(socket);
    socket.emit('close');
    expect(() => response.emit('close')).not.toThrow();
    const foreign = new FakeResponse();
    server.emit('request', { socket: new Socket(3) }, foreign);
    expect(() => foreign.emit('close')).not.toThrow();
  });
});

describe('cut()', () => {
  test('destroys all connections, busy or idle', () => {
    const { ask, connect, tracker } = bench();
    const sockets = [connect(new Socket(1)), connect(new Socket(2))] as const;
    ask(sockets[0]);
    tracker.cut();
    expect(sockets.map(({ ends }) => ends)).toEqual([['destroy'], ['destroy']]);
  });
});

describe('a TLS server', () => {
  test('has one connection for each client, the accepted one until the handshake and then the secure one', async () => {
    const { connect, sweep } = bench(HTTPS);
    const [below, other] = [connect(new Socket(1)), connect(new Socket(2))];
    const secure = connect(new Socket(1), 'secureConnection');
    await sweep(0);
    expect([below.ends, secure.ends, other.ends]).toEqual([[], ['end'], ['end']]);
  });

  test('distinguishes clients with the same port by their addresses', async () => {
    const { connect, sweep } = bench(HTTPS);
    const below = connect(new Socket(1, undefined, '10.0.0.1'));
    connect(new Socket(1, undefined, '10.0.0.2'), 'secureConnection');
    await sweep(0);
    expect(below.ends).toEqual(['end']);
  });

  test('drops a handshake whose connection closes, but not that of the next client with the same port', async () => {
    const { connect, sweep } = bench(HTTPS);
    const first = connect(new Socket(1));
    const second = connect(new Socket(1));
    first.emit('close');
    connect(new Socket(1), 'secureConnection');
    await sweep(0);
    expect([first.ends, second.ends]).toEqual([[], []]);
    const third = connect(new Socket(7));
    third.emit('close');
    const secure = connect(new Socket(7), 'secureConnection');
    await sweep(0);
    expect([third.ends, secure.ends]).toEqual([[], ['end']]);
  });

  test('does not close an idle connection that uses HTTP/2', async () => {
    const { connect, sweep, tracker } = bench(HTTPS);
    const session = connect(new Socket(1, 'h2'), 'secureConnection');
    const plain = connect(new Socket(2, 'http/1.1'), 'secureConnection');
    await sweep(0);
    expect([session.ends, plain.ends]).toEqual([[], ['end']]);
    tracker.cut();
    expect(session.ends).toEqual(['destroy']);
  });
});

describe('an HTTP/2 server without TLS', () => {
  test('ends its sessions itself', async () => {
    const { connect, sweep } = bench({});
    const session = connect();
    await sweep(0);
    expect(session.ends).toEqual([]);
  });

  test('counts its streams as open requests of no connection', async () => {
    const { server, sweep, tracker } = bench();
    const socket = new Socket();
    const response = new FakeResponse({ socket });
    server.emit('request', { socket, stream: {} }, response);
    expect(tracker.open()).toEqual({ connections: 0, requests: 1 });
    tracker.startDraining();
    await sweep(0);
    expect([response.shouldKeepAlive, socket.ends]).toEqual([true, []]);
    response.emit('close');
    expect(tracker.open()).toEqual({ connections: 0, requests: 0 });
  });

  const session = (closed = false): EventEmitter & { closed: boolean; closes: number; close(): void } =>
    Object.assign(new EventEmitter(), {
      closed,
      closes: 0,
      close() {
        this.closes++;
        this.closed = true;
      },
    });

  test('closes its sessions when it drains, and later ones with their first request', () => {
    const { server, tracker } = bench({});
    const [open, ended, gone, late] = [session(), session(true), session(), session()];
    for (const one of [open, ended, gone]) server.emit('session', one);
    gone.emit('close');
    server.emit('request', { stream: { session: open } }, new FakeResponse());
    expect(open.closes).toBe(0);
    tracker.startDraining();
    expect([open, ended, gone].map(({ closes }) => closes)).toEqual([1, 0, 0]);
    for (let request = 0; request < 2; request++) {
      server.emit('request', { stream: { session: late } }, new FakeResponse());
    }
    expect(late.closes).toBe(1);
  });

  test('closes a session that began while it drained and has no request once that has been idle', async () => {
    const { clock, server, sweep, tracker } = bench({});
    tracker.startDraining();
    const late = session();
    server.emit('session', late);
    clock.advance(99);
    await sweep(100);
    expect(late.closes).toBe(0);
    clock.advance(1);
    await sweep(100);
    await sweep(100);
    expect(late.closes).toBe(1);
  });
});

test('open() counts connections, and requests without a complete response', () => {
  const { ask, connect, tracker } = bench();
  const sockets = [connect(new Socket(1)), connect(new Socket(2))] as const;
  expect(tracker.open()).toEqual({ connections: 2, requests: 0 });
  const response = ask(sockets[0]);
  ask(sockets[0]);
  ask(sockets[1]);
  expect(tracker.open()).toEqual({ connections: 2, requests: 3 });
  response.emit('close');
  sockets[1].emit('close');
  expect(tracker.open()).toEqual({ connections: 1, requests: 1 });
});

test('a server that keeps requests in order counts each request once, when it comes', async () => {
  const { ask, connect, server, sweep } = bench();
  orderRequests(server as never);
  const socket = connect();
  const response = ask(socket);
  await sweep(0);
  expect([response.listenerCount('close'), socket.ends]).toEqual([1, []]);
  response.emit('close');
  await sweep(0);
  expect(socket.ends).toEqual(['end']);
});

test('an argument that is not a server is refused with every fault', () => {
  expect(() => trackConnections(undefined as never)).toThrow(
    'trackConnections: the first argument must be a server, as createServer(), listen() or serve() returned it',
  );
  expect(() => trackConnections({ on: () => undefined } as never, { clock: {} as never })).toThrow(
    /the first argument must be .*; clock must be/,
  );
});
