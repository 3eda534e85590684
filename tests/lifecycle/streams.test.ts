import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import type { ApiRequest } from '../../src/http/request.js';
import { feed, feedHandler, gate, get, raw, serve, text, whole } from './support.js';

describe('a streamed response', () => {
  test('sends its headers before the first chunk, then each chunk as it is made', async () => {
    const { handler, at } = feedHandler();
    const { port, errors } = await serve(handler);
    const response = await get(port, '/watch');
    expect(response.headers['transfer-encoding']).toBe('chunked');
    const source = await at(0);
    source.push('one\n');
    expect(String((await once(response, 'data'))[0])).toBe('one\n');
    source.push('two\n');
    expect(String((await once(response, 'data'))[0])).toBe('two\n');
    source.end();
    await once(response, 'end');
    expect(errors).toEqual([]);
  });

  test('never has its signal aborted once it ended', async () => {
    const { handler, at } = feedHandler();
    const { port } = await serve(handler);
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const source = await at(0);
    const aborted = vi.fn();
    void source.aborted.then(aborted);
    source.end();
    await client.until('0\r\n\r\n');
    client.socket.destroy();
    await client.closed;
    client.send('');
    await get(port, '/');
    await at(1);
    expect(aborted).not.toHaveBeenCalled();
  });

  test('requests a chunk only after the previous one was consumed, so that its buffer may be reused', async () => {
    const buffer = new Uint8Array(100_000);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let fill = 1; fill <= 20; fill++) {
        buffer.fill(fill);
        await Promise.resolve();
        yield buffer;
      }
    }
    const { port } = await serve(() => ({ status: 200, headers: {}, body: source() }));
    const body = Buffer.from(await whole(await get(port, '/')));
    expect(body.length).toBe(2_000_000);
    for (let fill = 1; fill <= 20; fill++) {
      const part = body.subarray((fill - 1) * 100_000, fill * 100_000);
      expect(part.every((byte) => byte === fill)).toBe(true);
    }
  });

  test('skips empty chunks, which would end a chunked body', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(0);
      yield Buffer.from('a');
      await Promise.resolve();
      yield new Uint8Array(0);
      yield Buffer.from('b');
    }
    const { port } = await serve(() => ({ status: 200, headers: {}, body: source() }));
    expect(await whole(await get(port, '/'))).toBe('ab');
  });

  test('keeps a Content-Length that the handler gave', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('four'));
    }
    const { port } = await serve(() => ({ status: 200, headers: { 'content-length': '4' }, body: source() }));
    const response = await get(port, '/');
    expect(response.headers).toMatchObject({ 'content-length': '4' });
    expect(response.headers['transfer-encoding']).toBeUndefined();
    expect(await whole(response)).toBe('four');
  });
});

describe('a client that disconnects', () => {
  test('aborts the signal, ends the source, and is not reported as an error', async () => {
    const { handler, at } = feedHandler();
    const { port, errors } = await serve(handler);
    const response = await get(port, '/watch');
    const source = await at(0);
    source.push('one\n');
    await once(response, 'data');
    response.destroy();
    expect(await source.aborted).toMatchObject({ name: 'AbortError', code: 'client-left' });
    await source.returned;
    expect(errors).toEqual([]);
  });

  test('is not reported as an error if the source rejects because of it', async () => {
    const left = gate();
    const { port, errors } = await serve((request) => {
      const signal = request.signal as AbortSignal;
      async function* source(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('one\n');
        await once(signal, 'abort');
        left.open();
        throw new Error('my upstream broke off');
      }
      return { status: 200, headers: {}, body: source() };
    });
    const response = await get(port, '/');
    await once(response, 'data');
    response.destroy();
    await left.promise;
    await get(port, '/');
    expect(errors).toEqual([]);
  });

  test('while the handler is running aborts the signal, and the response is dropped', async () => {
    const asked = gate<ApiRequest>();
    const left = gate<unknown>();
    const answered = gate();
    const { port, errors } = await serve(async (request) => {
      if (request.url !== '/slow') return text('quick');
      const signal = request.signal as AbortSignal;
      signal.addEventListener('abort', () => left.open(signal.reason));
      asked.open(request);
      await left.promise;
      answered.open();
      return text('too late');
    });
    const client = raw(port);
    client.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    const request = await asked.promise;
    client.socket.destroy();
    expect(await left.promise).toMatchObject({ code: 'client-left' });
    await answered.promise;
    expect(request.signal?.aborted).toBe(true);
    expect(await whole(await get(port, '/'))).toBe('quick');
    expect(errors).toEqual([]);
  });

  test('is detected by a signal that is first read afterwards', async () => {
    const asked = gate();
    const go = gate();
    const seen = gate<boolean | undefined>();
    const { server, port } = await serve(async (request) => {
      asked.open();
      await go.promise;
      seen.open(request.signal?.aborted);
      return text('');
    });
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [serverSide] = (await once(server, 'connection')) as [NodeJS.EventEmitter];
    await asked.promise;
    client.socket.destroy();
    await once(serverSide, 'close');
    go.open();
    expect(await seen.promise).toBe(true);
  });

  test('ends its stream, and requests that it pipelined behind it are not handled', async () => {
    const { handler, at, feeds } = feedHandler();
    const { server, port, errors } = await serve(handler);
    const warned = vi.fn();
    process.on('warning', warned);
    const client = raw(port);
    const accepted = once(server, 'connection');
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30));
    const source = await at(0);
    const [socket] = (await accepted) as [NodeJS.EventEmitter];
    source.push('x');
    client.socket.destroy();
    // While this many requests wait the connection is not read, so that only the next write notices the end.
    const gone = new Promise((resolve) => socket.on('close', resolve));
    const writing = setInterval(() => source.push('y'), 1);
    await gone;
    clearInterval(writing);
    expect(await source.aborted).toMatchObject({ code: 'client-left' });
    await source.returned;
    process.off('warning', warned);
    expect(feeds).toHaveLength(1);
    expect(warned).not.toHaveBeenCalled();
    expect(errors).toEqual([]);
  });

  test('leaves no listener behind on a reused connection', async () => {
    const { handler, at } = feedHandler();
    const { server, port } = await serve(handler);
    const client = raw(port);
    const [socket] = (await once(server, 'connection')) as [NodeJS.EventEmitter];
    const count = (): number => socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
    let expected: number | undefined;
    for (let round = 0; round < 15; round++) {
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const source = await at(round);
      expected ??= count();
      expect(count()).toBe(expected);
      source.push(`round${round};`);
      await client.until(`round${round};`);
      source.end();
    }
  });
});

describe('a slow reader', () => {
  test("holds one chunk beyond the kernel's buffers, and delays no other client", async () => {
    const chunk = Buffer.alloc(256 * 1024, 'x');
    let given = 0;
    const { port } = await serve((request) => {
      if (request.url !== '/big') return text('quick');
      async function* source(): AsyncGenerator<Uint8Array> {
        for (;;) {
          given++;
          yield await Promise.resolve(chunk);
        }
      }
      return { status: 200, headers: {}, body: source() };
    });
    const stalled = await get(port, '/big');
    stalled.pause();

    // Chunks are requested until the kernel's buffers are full, and then no more.
    let before = -1;
    await vi.waitFor(
      async () => {
        for (let round = 0; round < 20; round++) expect(await whole(await get(port, '/'))).toBe('quick');
        const now = given;
        const same = now === before;
        before = now;
        expect(same).toBe(true);
      },
      { timeout: 10_000, interval: 1 },
    );
    expect(given).toBeLessThan(200);
    stalled.destroy();
  });
});

describe('HEAD', () => {
  test('has the headers of GET and no body', async () => {
    const { port } = await serve(() => text('héllo'));
    const client = raw(port);
    client.send('HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const response = await client.closed;
    expect(response).toMatch(/content-length: 6\r\n/i);
    expect(response.endsWith('\r\n\r\n')).toBe(true);
  });

  test('never starts a stream, and ends its source', async () => {
    const { handler, at } = feedHandler();
    const { port } = await serve(handler);
    const response = await get(port, '/', { method: 'HEAD' });
    expect(response.statusCode).toBe(200);
    const source = await at(0);
    expect(await source.aborted).toMatchObject({ code: 'body-unwanted' });
    await source.returned;
    expect(source.asked).toBe(0);
  });

  test('keeps a Content-Length for the body that is not sent', async () => {
    const { port } = await serve(() => ({ status: 200, headers: { 'content-length': '42' }, body: null }));
    expect((await get(port, '/', { method: 'HEAD' })).headers['content-length']).toBe('42');
  });
});

test.each([204, 304])('a response %i has neither body nor length, and ends a source', async (status) => {
  const made = gate<ReturnType<typeof feed>>();
  const { port } = await serve((request) => {
    if (request.url === '/plain') return text('ignored', status);
    const source = feed(request.signal as AbortSignal);
    made.open(source);
    return { status, headers: {}, body: source.body };
  });
  for (const path of ['/plain', '/stream']) {
    const response = await get(port, path);
    expect(response.statusCode).toBe(status);
    expect(response.headers['content-length']).toBeUndefined();
    expect(await whole(response)).toBe('');
  }
  await (
    await made.promise
  ).returned;
});

test('each value of a header list is a line of its own', async () => {
  const warning = ['299 - "unknown field \\"a\\""', '299 - "unknown field \\"b\\""'];
  const { port } = await serve(() => ({ status: 200, headers: { warning }, body: 'x' }));
  const response = await get(port, '/');
  expect(response.rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === 'warning')).toEqual(warning);
});
