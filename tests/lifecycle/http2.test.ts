import { once } from 'node:events';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readBody } from '../../src/http/body.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { feedHandler, gate, text, whole } from './support.js';

async function serve2(handler: ApiHandler): Promise<{ session: ClientHttp2Session; errors: unknown[] }> {
  const errors: unknown[] = [];
  const server = createServer(
    toNodeListener(handler, { onError: (error, where) => void errors.push({ error, where }) }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return { session, errors };
}

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
  expect(await source.aborted).toMatchObject({ code: 'answer-given-up' });
  await source.returned;
  await broken.promise;
  // INTERNAL_ERROR: without a code the half would be taken for the whole.
  expect(late.rstCode).toBe(2);
  (await at(1)).push('fine');
  (await at(1)).end();
  expect(await whole(good)).toBe('fine');
  expect(errors).toEqual([]);
});
