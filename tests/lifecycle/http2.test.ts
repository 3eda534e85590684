import { once } from 'node:events';
import type { ClientHttp2Session, Http2Server, Http2ServerRequest, IncomingHttpHeaders } from 'node:http2';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readBody } from '../../src/http/body.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener, trackConnections } from '../../src/node.js';
import { feedHandler, gate, raw, text, whole } from './support.js';

interface Served2 {
  readonly server: Http2Server;
  readonly port: number;
  readonly session: ClientHttp2Session;
  readonly errors: unknown[];
}

type Wrap = (listener: ReturnType<typeof toNodeListener>) => ReturnType<typeof toNodeListener>;

/** @param wrap what stands in front of the listener */
async function serve2(handler: ApiHandler, wrap: Wrap = (listener) => listener): Promise<Served2> {
  const errors: unknown[] = [];
  const onError = (error: unknown, where: string): void => void errors.push({ error, where });
  const server = createServer(wrap(toNodeListener(handler, { onError })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return { server, port, session, errors };
}

/** A handler that reads the body, and what it read or failed with. */
function bodyHandler(): { handler: ApiHandler; begun: Promise<void>; read: Promise<string> } {
  const begun = gate();
  const read = gate<string>();
  const handler: ApiHandler = async (request) => {
    const reading = Promise.resolve(readBody(request, 100));
    begun.open();
    read.open(await reading.then(String, String));
    return text('read');
  };
  return { handler, begun: begun.promise, read: read.promise };
}

/** A frame of HTTP/2 (RFC 9113, 4.1). Node's client ends a body before it resets the stream. */
function frame(type: number, flags: number, stream: number, payload: string | readonly number[] = ''): Buffer {
  const head = [0, 0, payload.length, type, flags, 0, 0, 0, stream];
  return Buffer.concat([Buffer.from(head), Buffer.from(payload as string)]);
}

/** The preface of a client, and the beginning of POST / on stream 1. */
const HALF_A_POST = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(4, 0, 0),
  // Indexed by HPACK (RFC 7541, appendix A): the method, the scheme, the path, and the authority x.
  frame(1, 4, 1, [0x83, 0x86, 0x84, 0x01, 1, 0x78]),
  frame(0, 0, 1, 'half'),
]);

/** RST_STREAM of stream 1 with NO_ERROR, as Envoy sends it for a client that has left. */
const RESET = frame(3, 0, 1, [0, 0, 0, 0]);

const headersOf = async (stream: ReturnType<ClientHttp2Session['request']>): Promise<IncomingHttpHeaders> =>
  (await once(stream, 'response'))[0] as IncomingHttpHeaders;

test('GET and HEAD get responses without connection headers', async () => {
  const { session, errors } = await serve2((request) => ({
    status: 200,
    headers: { warning: ['299 - "a"', '299 - "b"'], connection: 'close', 'x-address': String(request.remoteAddress) },
    body: `${request.method} ${request.url}`,
  }));
  const stream = session.request({ ':path': '/readyz?verbose' });
  const headers = await headersOf(stream);
  expect(headers).toMatchObject({
    ':status': 200,
    warning: '299 - "a", 299 - "b"',
    'content-length': '19',
    'x-address': '127.0.0.1',
  });
  expect(headers).not.toHaveProperty('connection');
  expect(await whole(stream)).toBe('GET /readyz?verbose');

  const head = session.request({ ':path': '/', ':method': 'HEAD' });
  expect(await headersOf(head)).toMatchObject({ 'content-length': '6' });
  expect(await whole(head)).toBe('');
  expect(errors).toEqual([]);
});

test.each([2, 70_000])('the last DATA frame of a response of %i bytes ends its stream', async (length) => {
  const { port, errors } = await serve2(() => text('x'.repeat(length)));
  const client = raw(port);
  client.send(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      // SETTINGS_INITIAL_WINDOW_SIZE, and WINDOW_UPDATE of the connection: 16 MiB each.
      frame(4, 0, 0, [0, 4, 1, 0, 0, 0]),
      frame(8, 0, 0, [1, 0, 0, 0]),
      frame(1, 5, 1, [0x82, 0x86, 0x84, 0x01, 1, 0x78]), // GET /, without a body
    ]),
  );
  const dataFrames = (): readonly { length: number; ends: boolean }[] => {
    const bytes = Buffer.from(client.received(), 'latin1');
    const frames: { length: number; ends: boolean }[] = [];
    for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
      const [type, flags = 0] = bytes.subarray(at + 3, at + 5);
      if (type === 0) frames.push({ length: bytes.readUIntBE(at, 3), ends: (flags & 1) === 1 });
    }
    return frames;
  };
  await expect.poll(() => dataFrames().at(-1)?.ends).toBe(true);
  const frames = dataFrames();
  expect(frames.reduce((sum, data) => sum + data.length, 0)).toBe(length);
  expect(frames.filter((data) => data.length === 0)).toEqual([]);
  expect(errors).toEqual([]);
});

test('raw UTF-8 in a path is accepted', async () => {
  const { session } = await serve2((request) => text(request.url));
  const stream = session.request({ ':path': Buffer.from('/é').toString('latin1') });
  expect(await whole(stream)).toBe('/é');
});

test('a body is read, and one over the limit is refused', async () => {
  const { session, errors } = await serve2(async (request) => text(`got ${(await readBody(request, 100)).byteLength}`));
  const fits = session.request({ ':path': '/', ':method': 'POST' });
  fits.end('hello');
  expect(await whole(fits)).toBe('got 5');
  const empty = session.request({ ':path': '/', ':method': 'POST' }, { endStream: true });
  expect(await whole(empty)).toBe('got 0');
  const big = session.request({ ':path': '/', ':method': 'POST' });
  big.write('x'.repeat(101));
  expect(await headersOf(big)).toMatchObject({ ':status': 413 });
  expect(await whole(big)).toBe('Request entity too large\n');
  const again = session.request({ ':path': '/', ':method': 'POST' });
  again.end('hello');
  expect(await whole(again)).toBe('got 5');
  expect(errors).toEqual([]);
});

test('reading a body that never arrives ends with the given signal, and the response is sent', async () => {
  const deadline = new AbortController();
  const { session, errors } = await serve2(async (request) => {
    const reading = request.body?.(100, deadline) as Promise<Uint8Array>;
    setImmediate(() => deadline.abort('late'));
    return text(`ended: ${String(await reading.catch((error: unknown) => error))}`, 504);
  });
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.write('half');
  expect(await headersOf(stream)).toMatchObject({ ':status': 504 });
  expect(await whole(stream)).toBe('ended: late');
  expect(errors).toEqual([]);
});

test('a stream sends headers at once and chunks as they are made, and a cancel aborts it', async () => {
  const { handler, at } = feedHandler();
  const { session, errors } = await serve2(handler);
  const stream = session.request({ ':path': '/watch' });
  await headersOf(stream);
  const source = await at(0);
  source.push('one');
  expect(String((await once(stream, 'data'))[0])).toBe('one');
  stream.close(8);
  expect(await source.aborted).toMatchObject({ code: 'client-left' });
  await source.returned;

  const other = session.request({ ':path': '/watch' });
  await headersOf(other);
  const second = await at(1);
  second.push('two');
  second.end();
  expect(await whole(other)).toBe('two');
  expect(errors).toEqual([]);
});

test('a lost connection aborts all of its streams', async () => {
  const { handler, at } = feedHandler();
  const { session } = await serve2(handler);
  const streams = [session.request({ ':path': '/' }), session.request({ ':path': '/' })];
  for (const stream of streams) stream.on('error', () => undefined);
  const sources = [await at(0), await at(1)];
  session.destroy();
  for (const source of sources) expect(await source.aborted).toMatchObject({ code: 'client-left' });
});

test('a body is incomplete if its stream is reset without an error', async () => {
  const { handler, begun, read } = bodyHandler();
  const { port, errors } = await serve2(handler);
  const client = raw(port);
  client.send(HALF_A_POST);
  await begun;
  client.send(RESET);
  expect(await read).toBe('BodyError: the client left before the request body was complete');
  expect(errors).toEqual([]);
});

test.each([undefined, 'half'])('a body is incomplete if its stream was reset before, parsed as %s', async (body) => {
  const { handler, read } = bodyHandler();
  const { port, server, errors } = await serve2(handler, (listener) => (req, res) => {
    if (body !== undefined) req.resume();
    const incoming = req as unknown as Http2ServerRequest;
    incoming.once('aborted', () => setImmediate(() => listener(Object.assign(req, { body }), res)));
  });
  const client = raw(port);
  client.send(HALF_A_POST);
  await once(server, 'request');
  client.send(RESET);
  expect(await read).toBe('BodyError: the client left before the request body was complete');
  expect(errors).toEqual([]);
});

test('a stream that is reset without an error is released, and no longer counted', async () => {
  const { handler, feeds, at } = feedHandler();
  const { port, server, errors } = await serve2((request) => {
    const response = handler(request);
    feeds[0]?.push('one');
    return response;
  });
  const tracker = trackConnections(server);
  raw(port).send(Buffer.concat([HALF_A_POST, RESET]));
  const source = await at(0);
  expect(tracker.open().requests).toBe(1);
  expect(await source.aborted).toMatchObject({ code: 'client-left' });
  await source.returned;
  expect(tracker.open().requests).toBe(0);
  expect(errors).toEqual([]);
});

test('a stream that another handler serves gets no listener', async () => {
  const listeners: number[] = [];
  const { session } = await serve2(
    () => undefined,
    (listener) => (req, res) => {
      const { stream } = req as unknown as Http2ServerRequest;
      listeners.push(stream.listenerCount('aborted'));
      listener(req, res, () => {
        listeners.push(stream.listenerCount('aborted'));
        res.end();
      });
    },
  );
  await whole(session.request({ ':path': '/' }));
  expect(listeners[1]).toBe(listeners[0]);
});

test('a failure after the headers resets only its own stream, with an error', async () => {
  const { handler, at } = feedHandler();
  const { session, errors } = await serve2(handler);
  const bad = session.request({ ':path': '/' });
  const good = session.request({ ':path': '/' });
  await Promise.all([headersOf(bad), headersOf(good)]);
  const broken = gate<Error>();
  bad.on('error', broken.open);
  (await at(0)).fail(new Error('secret'));
  expect((await broken.promise).message).not.toContain('secret');
  expect(bad.rstCode).toBe(2);
  (await at(1)).push('fine');
  (await at(1)).end();
  expect(await whole(good)).toBe('fine');
  expect(errors).toEqual([{ error: new Error('secret'), where: 'stream' }]);
});

test('no connection header of HTTP/1 is sent, and Node prints no warning', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const hopByHop = {
    connection: 'keep-alive',
    'keep-alive': 'timeout=5',
    'proxy-connection': 'keep-alive',
    'transfer-encoding': 'chunked',
    upgrade: 'h2c',
  };
  const { handler, at } = feedHandler({ ...hopByHop, 'x-kept': 'yes' });
  const { session, errors } = await serve2((request) =>
    request.url === '/stream'
      ? handler(request)
      : { status: 200, headers: { ...hopByHop, 'x-kept': 'yes' }, body: 'a' },
  );
  const plain = session.request({ ':path': '/' });
  const streamed = session.request({ ':path': '/stream' });
  const heads = [await headersOf(plain), await headersOf(streamed)];
  for (const head of heads) {
    expect(head).toMatchObject({ ':status': 200, 'x-kept': 'yes' });
    expect(Object.keys(hopByHop).filter((name) => name in head)).toEqual([]);
  }
  (await at(0)).end();
  expect([await whole(plain), await whole(streamed)]).toEqual(['a', '']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
  expect(errors).toEqual([]);
});

test('a late response to a refused body has no connection header either', async () => {
  const { session, errors } = await serve2(() => ({
    status: 413,
    headers: { connection: 'close', 'content-type': 'text/plain' },
    body: 'too large',
  }));
  const stream = session.request({ ':path': '/', ':method': 'POST' });
  stream.write('x');
  expect(await headersOf(stream)).not.toHaveProperty('connection');
  expect(await whole(stream)).toBe('too large');
  expect(errors).toEqual([]);
});

test('a response that is aborted half-way resets only its own stream, with an error', async () => {
  const giveUp = new AbortController();
  const { handler, at } = feedHandler();
  const { session, errors } = await serve2(
    (request) =>
      ({
        ...(handler(request) as object),
        ...(request.url === '/late' && { signal: giveUp.signal }),
      }) as never,
  );
  const late = session.request({ ':path': '/late' });
  const broken = gate<Error>();
  late.on('error', broken.open);
  await headersOf(late);
  const good = session.request({ ':path': '/' });
  await headersOf(good);
  const source = await at(0);
  source.push('half');
  expect(String((await once(late, 'data'))[0])).toBe('half');
  giveUp.abort();
  expect(await source.aborted).toMatchObject({ code: 'response-abandoned' });
  await source.returned;
  await broken.promise;
  // INTERNAL_ERROR: without a code the half would be taken for the whole.
  expect(late.rstCode).toBe(2);
  (await at(1)).push('fine');
  (await at(1)).end();
  expect(await whole(good)).toBe('fine');
  expect(errors).toEqual([]);
});
