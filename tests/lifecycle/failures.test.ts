import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { feedHandler, get, listen, raw, serve, text, whole } from './support.js';

const secret = new Error('password is hunter2');

describe('a failure before the headers', () => {
  const cases: [string, ApiHandler][] = [
    [
      'thrown',
      () => {
        throw secret;
      },
    ],
    ['rejected', () => Promise.reject(secret)],
  ];
  test.each(cases)('is a bare 500 and is reported to the hook: %s', async (_, handler) => {
    const { port, errors } = await serve(handler);
    const response = await get(port, '/');
    expect(response.statusCode).toBe(500);
    expect(await whole(response)).toBe('Internal Server Error\n');
    expect(JSON.stringify(response.headers)).not.toContain('hunter2');
    expect(errors).toEqual([{ error: secret, where: 'handler' }]);
  });

  test.each([
    ['no response at all', null],
    ['a status out of range', { status: 42, headers: {}, body: null }],
    ['a body of another type', { status: 200, headers: {}, body: 7 }],
    ['a header that would split the answer', { status: 200, headers: { x: 'a\r\nb: c' }, body: 'x' }],
  ])('includes a response that cannot be sent: %s', async (_, unsendable) => {
    const { port, errors } = await serve(() => unsendable as never);
    const response = await get(port, '/');
    expect([response.statusCode, response.statusMessage]).toEqual([500, 'Internal Server Error']);
    expect(await whole(response)).toBe('Internal Server Error\n');
    expect(errors).toEqual([{ error: expect.any(TypeError) as unknown, where: 'handler' }]);
  });

  test('has no header of a response that cannot be sent, also behind middleware that sets headers', async () => {
    const headers = { etag: '"a"', 'content-encoding': 'gzip', x: 'a\r\nb' };
    const listener = toNodeListener(() => ({ status: 200, headers, body: 'x' }), { onError: () => undefined });
    const { port } = await listen((request, response) => {
      response.setHeader('x-powered-by', 'middleware');
      listener(request, response);
    });
    const response = await get(port, '/');
    expect([response.statusCode, await whole(response)]).toEqual([500, 'Internal Server Error\n']);
    expect(response.headers).toMatchObject({ 'x-powered-by': 'middleware', 'content-length': '22' });
    for (const name of Object.keys(headers)) expect(response.headers).not.toHaveProperty(name);
  });

  test('ends the stream of a response that cannot be sent', async () => {
    const inner = feedHandler({ x: 'a\nb' });
    const { port } = await serve(inner.handler);
    expect((await get(port, '/')).statusCode).toBe(500);
    const source = await inner.at(0);
    await source.aborted;
    await source.returned;
  });

  test('does no harm if the error hook throws or rejects', async () => {
    for (const onError of [
      () => {
        throw new Error('hook');
      },
      () => Promise.reject(new Error('hook')) as unknown as void,
    ]) {
      const { port } = await serve(() => Promise.reject(secret), { onError });
      expect((await get(port, '/')).statusCode).toBe(500);
    }
  });

  test('leaves the connection usable', async () => {
    const { port } = await serve((request) => {
      if (request.url === '/bad') throw secret;
      return text('fine');
    });
    const client = raw(port);
    client.send('GET /bad HTTP/1.1\r\nHost: a\r\n\r\nGET /good HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await client.until('fine')).toContain('500 Internal Server Error');
  });
});

describe('a failure after the headers', () => {
  test('closes the connection, so that the client detects the incomplete body', async () => {
    const { handler, at } = feedHandler();
    const { port, errors } = await serve(handler);
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const source = await at(0);
    source.push('part');
    await client.until('part');
    source.fail(secret);
    const received = await client.closed;
    expect(received).not.toContain('0\r\n\r\n');
    expect(received).not.toContain('hunter2');
    expect(errors).toEqual([{ error: secret, where: 'stream' }]);
  });

  test('is reported if middleware has replaced `end`, and closes the connection', async () => {
    const { handler, at } = feedHandler();
    const reports: unknown[] = [];
    const listener = toNodeListener(handler, { onError: (error, where) => void reports.push([error, where]) });
    const { port } = await listen((req, res) => {
      res.end = () => {
        throw secret;
      };
      listener(req, res);
    });
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const source = await at(0);
    source.push('part');
    await client.until('part');
    source.end();
    expect(await client.closed).not.toContain('0\r\n\r\n');
    expect(reports).toEqual([[secret, 'stream']]);
  });

  test('ends the source as well if a chunk is not bytes', async () => {
    let returned = false;
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: 'text' }),
        return: () => {
          returned = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const { port, errors } = await serve(() => ({ status: 200, headers: {}, body }) as never);
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await client.closed;
    expect(returned).toBe(true);
    expect(errors).toEqual([{ error: expect.any(TypeError) as unknown, where: 'stream' }]);
  });

  test.each([
    [
      'the source cannot begin',
      {
        [Symbol.asyncIterator]: () => {
          throw secret;
        },
      },
    ],
    [
      'next throws',
      {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            throw secret;
          },
        }),
      },
    ],
  ])('closes the connection: %s', async (_, body) => {
    const { port, errors } = await serve(() => ({ status: 200, headers: {}, body }));
    const client = raw(port);
    client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await client.closed).not.toContain('0\r\n\r\n');
    expect(errors).toEqual([{ error: secret, where: 'stream' }]);
  });
});

test('two servers share no state', async () => {
  const one = feedHandler();
  const two = feedHandler();
  const closing = new AbortController();
  const first = await serve(one.handler, { signal: closing.signal });
  const second = await serve(two.handler);
  const [a, b] = await Promise.all([get(first.port, '/'), get(second.port, '/')]);
  const [sourceA, sourceB] = await Promise.all([one.at(0), two.at(0)]);
  closing.abort();
  await sourceA.aborted;
  a.resume();
  await once(a, 'end');
  sourceB.push('still here');
  expect(String((await once(b, 'data'))[0])).toBe('still here');
  const broken = new Promise((resolve) => b.on('close', resolve));
  sourceB.fail(secret);
  await broken;
  expect(first.errors).toEqual([]);
  expect(second.errors).toHaveLength(1);
});
