import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { clearHead, createHeadWriter } from '../../../../src/bridge/node/head-writer.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

type HeadWriter = ReturnType<typeof createHeadWriter>;

type Head = Pick<ApiResponse, 'status' | 'headers'>;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const OK: Head = { status: 200, headers: { 'audit-id': 'one', 'content-type': 'text/plain' } };

/** What a server sends on one connection for requests that follow each other. The time is left out. */
async function sentFor(listener: RequestListener, requests: readonly string[], setUp = (_: Server): void => undefined) {
  const server = createServer(listener);
  setUp(server);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  const seen: string[] = [];
  for (const request of requests) {
    socket.write(request);
    const bytes = await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed]);
    seen.push(String(bytes).replace(/Date: .{29}\r\n/, 'Date: now\r\n'));
  }
  socket.destroy();
  return seen;
}

interface Around {
  readonly request?: string;
  readonly setUp?: (server: Server) => void;
  readonly before?: (res: ServerResponse, index: number) => void;
  readonly writer?: HeadWriter;
}

/** The responses with the writer's heads, those with Node's heads, and how many heads Node wrote for the writer. */
async function bothWays(heads: readonly Head[], { request = GET, setUp, before, writer }: Around = {}) {
  const write = writer ?? createHeadWriter(fakeClock());
  const requests = heads.map(() => request);
  const through = (writeHead: HeadWriter): RequestListener => {
    let index = 0;
    return (_req, res) => {
      before?.(res, index);
      writeHead(res, heads[index++] as Head, 2);
      res.end('ok');
    };
  };
  let byNode = 0;
  const own = await sentFor(
    through((res, head, length) => {
      const internal = res as unknown as { _storeHeader(...given: unknown[]): void };
      const { _storeHeader } = internal;
      internal._storeHeader = (...given) => ((byNode += 1), _storeHeader.apply(internal, given));
      write(res, head, length);
    }),
    requests,
    setUp,
  );
  const node = await sentFor(
    through((res, { status, headers }, length = 0) => {
      res.writeHead(status, { ...(headers as Record<string, string>), 'content-length': length });
    }),
    requests,
    setUp,
  );
  return { own, node, byNode };
}

describe('heads of common responses', () => {
  it('are what Node would write, and Node writes the first one', async () => {
    const heads: Head[] = [
      OK,
      OK,
      { status: 404, headers: { ...OK.headers, 'audit-id': 'two', 'x-latin': 'é' } },
      { status: 299, headers: {} },
    ];
    const { own, node, byNode } = await bothWays(heads);
    expect(own).toEqual(node);
    expect(own[2]).toMatch(
      /^HTTP\/1.1 404 Not Found\r\naudit-id: two\r\n[^]*\r\nx-latin: é\r\ncontent-length: 2\r\nDate: now\r\n/,
    );
    expect(byNode).toBe(1);
  });

  it('show for how long a connection is kept, as the server is set up', async () => {
    const setUp = (server: Server): void => void (server.keepAliveTimeout = 71_000);
    const { own, node, byNode } = await bothWays([OK, OK], { setUp });
    expect(own).toEqual(node);
    expect(own[1]).toContain('Keep-Alive: timeout=71\r\n');
    expect(byNode).toBe(1);
  });

  it('follow a change of that setting at once', async () => {
    let server: Server | undefined;
    const before = (_: ServerResponse, index: number): void => {
      // Node reads it when a request comes: this is for the request after the next.
      if (server && index === 0) server.keepAliveTimeout = 9_000;
    };
    const { own, node, byNode } = await bothWays([OK, OK, OK], {
      setUp: (made) => void (server = Object.assign(made, { keepAliveTimeout: 5_000 })),
      before,
    });
    expect(own).toEqual(node);
    expect(own[2]).toContain('timeout=9\r\n');
    expect(byNode).toBe(2);
  });

  it('follow a change of how many requests a connection may have', async () => {
    let server: Server | undefined;
    const before = (_: ServerResponse, index: number): void => {
      if (server && index === 0) server.maxRequestsPerSocket = 20;
    };
    const { own, node, byNode } = await bothWays([OK, OK, OK], {
      setUp: (made) => void (server = Object.assign(made, { maxRequestsPerSocket: 10 })),
      before,
    });
    expect(own).toEqual(node);
    expect(own[2]).toContain('max=20\r\n');
    expect(byNode).toBe(2);
  });

  it('have the date of the second in which they are written', async () => {
    const clock = fakeClock();
    const before = (_: ServerResponse, index: number): void => clock.advance(index === 2 ? 1_000 : 0);
    const { byNode } = await bothWays([OK, OK, OK, OK], { writer: createHeadWriter(clock), before });
    // The second time in the first run; the other run moves the clock, and writes nothing with it.
    expect(byNode).toBe(2);
  });

  it('have the date to which the clock was set back', async () => {
    const clock = fakeClock();
    const before = (_: ServerResponse, index: number): void => {
      if (index === 2) clock.setNow(1_000_000_000_000_000);
    };
    const { byNode } = await bothWays([OK, OK, OK, OK], { writer: createHeadWriter(clock), before });
    expect(byNode).toBe(2);
  });

  it('keep the state that others read of a response', async () => {
    const states: unknown[] = [];
    const write = createHeadWriter(fakeClock());
    await sentFor(
      (_req, res) => {
        write(res, { status: 404, headers: {} }, 2);
        const { statusCode, statusMessage, headersSent } = res;
        states.push({ statusCode, statusMessage, headersSent });
        expect(() => res.writeHead(200)).toThrow(/headers/);
        res.end('ok');
      },
      [GET, GET],
    );
    const state = { statusCode: 404, statusMessage: 'Not Found', headersSent: true };
    expect(states).toEqual([state, state]);
  });
});

describe('heads that the connection or other code affects', () => {
  it.each<[string, Around, Head?]>([
    ['a connection that is not kept', { request: 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' }],
    ['a client of HTTP/1.0', { request: 'GET / HTTP/1.0\r\n\r\n' }],
    ['a header that middleware has set', { before: (res) => void res.setHeader('x-powered-by', 'us') }],
    ['a header that middleware has removed', { before: (res) => res.removeHeader('connection') }],
    ['a server without a clock', { before: (res) => void (res.sendDate = false) }],
    ['a reason phrase of the service', { before: (res) => void (res.statusMessage = 'Fine') }],
    ['the last request that a connection may have', { setUp: (server) => void (server.maxRequestsPerSocket = 1) }],
    ['a handler that closes the connection', {}, { status: 200, headers: { connection: 'close' } }],
    ['a time of the handler', {}, { status: 200, headers: { date: 'yesterday' } }],
    ['a header of several values', {}, { status: 200, headers: { warning: ['299 a', '299 b'] } }],
    [
      'a body that the client has announced',
      { request: 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n' },
    ],
  ])('are Node’s own: %s', async (_, around, head = OK) => {
    const { own, node, byNode } = await bothWays([head, head], around);
    expect(own).toEqual(node);
    expect(byNode).toBe(own.filter((text) => text.includes('ok')).length);
  });

  it('have no date where the service wants none, although the head before had one', async () => {
    const before = (res: ServerResponse, index: number): void => void (res.sendDate = index === 0);
    const { own, node, byNode } = await bothWays([OK, OK], { before });
    expect(own).toEqual(node);
    expect(own[1]).not.toContain('Date:');
    expect(byNode).toBe(2);
  });

  it('go through a `writeHead` that middleware has put in place', async () => {
    const seen: unknown[] = [];
    await bothWays([OK, OK], {
      before(res) {
        const { writeHead } = res;
        res.writeHead = ((...given: Parameters<typeof writeHead>) => {
          seen.push(given[0]);
          return writeHead.apply(res, given);
        }) as typeof writeHead;
      },
    });
    expect(seen).toEqual([200, 200, 200, 200]);
  });

  it('have one length, however the handler writes its name', async () => {
    const write = createHeadWriter(fakeClock());
    const head = { status: 200, headers: { 'Content-Length': '7', 'X-A': 'b' } };
    const listener: RequestListener = (_req, res) => {
      write(res, head, 2);
      res.end('ok');
    };
    for (const text of await sentFor(listener, [GET, GET])) {
      expect(text.match(/content-length: .*/gi)).toEqual(['content-length: 2']);
      expect(text).toContain('x-a: b\r\n');
    }
  });

  it.each([
    ['a line break in a value', { 'x-a': 'b\r\nx-c: d' }],
    ['a character beyond Latin-1', { 'x-a': '\u0100' }],
    ['a name with a space', { 'x a': 'b' }],
  ])('fail as in Node: %s', async (_, headers) => {
    const write = createHeadWriter(fakeClock());
    const failures: unknown[] = [];
    await sentFor(
      (_req, res) => {
        if (failures.length === 0) write(res, OK, 2);
        else
          try {
            write(res, { status: 200, headers }, 2);
          } catch (error) {
            failures.push((error as { code: string }).code);
            res.writeHead(500);
          }
        failures.push('');
        res.end('ok');
      },
      [GET, GET],
    );
    expect(failures[1]).toMatch(/^ERR_INVALID_(CHAR|HTTP_TOKEN)$/);
  });
});

it('a head that Node has refused leaves nothing that describes its body', () => {
  const removed: string[] = [];
  const res = { statusMessage: 'odd', removeHeader: (name: string) => void removed.push(name) };
  clearHead(res as never);
  expect(removed).toEqual(['content-encoding', 'content-language', 'content-range', 'etag', 'last-modified']);
  expect(res.statusMessage).toBeUndefined();
});
