import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock/clock.js';
import { isBodyError, readBody } from '../../src/http/body.js';
import { toFetchHandler } from '../../src/fetch.js';
import type { ApiHandler } from '../../src/http/handler.js';
import { toNodeListener } from '../../src/node.js';
import { feedHandler, gate, listen, raw, serve, text } from './support.js';

const LIMIT = 100_000;

/** Responds with the number of bytes it read, or with 413 itself, as a resource does. */
const measure: ApiHandler = async (request) => {
  if (request.method === 'GET') return text('still here');
  try {
    return text(`got ${(await readBody(request, LIMIT)).byteLength}.`);
  } catch (error) {
    if (isBodyError(error) && error.code === 'too-large') return text(`limit is ${error.limit}.`, 413);
    throw error;
  }
};

const post = (headers: string, body = ''): string => `POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n\r\n${body}`;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const chunked = (size: number): string => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;

describe('a request body', () => {
  test('arrives whole, in one piece or many', async () => {
    const { port } = await serve(measure);
    const client = raw(port);
    client.send(post('Content-Length: 5', 'hello'));
    await client.until('got 5.');
    client.send(post('Content-Length: 6', 'he'));
    client.send('l');
    client.send('lo!');
    await client.until('got 6.');
    client.send(post('Transfer-Encoding: chunked', `${chunked(3)}${chunked(70_000)}0\r\n\r\n`));
    await client.until('got 70003.');
    client.send(post('Content-Length: 0'));
    await client.until('got 0.');
    client.send(post('Transfer-Encoding: chunked', '0\r\n\r\n'));
    await client.until('got 0.');
  });

  test('may be exactly as long as the limit', async () => {
    const { port } = await serve(measure);
    const client = raw(port);
    client.send(post(`Content-Length: ${LIMIT}`, 'x'.repeat(LIMIT)));
    await client.until(`got ${LIMIT}.`);
    client.send(post('Transfer-Encoding: chunked', `${chunked(LIMIT)}0\r\n\r\n`));
    await client.until(`got ${LIMIT}.`);
  });

  test('is never longer than maxBodyBytes, whatever the handler accepts', async () => {
    const { port } = await serve(measure, { maxBodyBytes: 10 });
    const client = raw(port);
    client.send(post('Content-Length: 11', 'x'.repeat(11)));
    await client.until('limit is 10.');
  });

  test('that breaks off rejects the read, and is not reported as an error of the service', async () => {
    const reading = gate();
    const outcome = gate<unknown>();
    const { port, errors } = await serve(async (request) => {
      if (request.method === 'GET') return text('still here');
      reading.open();
      return text(
        String(
          await Promise.resolve(readBody(request, LIMIT)).catch((error: unknown) => {
            outcome.open(error);
            throw error;
          }),
        ),
      );
    });
    const client = raw(port);
    client.send(post('Content-Length: 50', 'half of it'));
    await reading.promise;
    client.socket.destroy();
    expect(await outcome.promise).toMatchObject({ name: 'BodyError', code: 'aborted' });
    const next = raw(port);
    next.send(GET);
    await next.until('still here');
    expect(errors).toEqual([]);
  });

  test('over the limit gets 413, not 500, when a handler lets the error through', async () => {
    const { port, errors } = await serve(async (request) => text(String(await readBody(request, 3))));
    const client = raw(port);
    client.send(post('Content-Length: 4', 'four'));
    expect(await client.until('too large')).toContain('413 Payload Too Large');
    expect(errors).toEqual([]);
  });
});

describe('a body over the limit', () => {
  test('with a Content-Length is refused before it is sent, and the connection can be reused', async () => {
    const { port } = await serve(measure);
    const client = raw(port);
    client.send(post(`Content-Length: ${LIMIT + 1}`));
    await client.until(`limit is ${LIMIT}.`);
    expect(client.received()).not.toMatch(/connection: close/i);
    client.send('x'.repeat(LIMIT + 1));
    client.send(GET);
    await client.until('still here');
  });

  test('in chunks is refused one byte past the limit, and the connection closes cleanly at its end', async () => {
    const { port } = await serve(measure);
    const client = raw(port);
    client.send(post('Transfer-Encoding: chunked', chunked(LIMIT)));
    client.send(chunked(1));
    await client.until(`limit is ${LIMIT}.`);
    expect(client.received()).toMatch(/connection: close/i);
    client.send(`${chunked(LIMIT)}0\r\n\r\n`);
    const ended = once(client.socket, 'end');
    await ended;
  });

  test('is read and discarded, so that a client which reads only after sending everything gets the response', async () => {
    const { port } = await serve(measure);
    const client = raw(port);
    client.socket.pause();
    const size = 4 * 1024 * 1024;
    client.send(post(`Content-Length: ${size}`));
    await new Promise((resolve) => client.socket.write('x'.repeat(size), resolve));
    client.socket.resume();
    await client.until(`limit is ${LIMIT}.`);
    client.send(GET);
    await client.until('still here');
  });

  test('that never ends is read up to a limit, then the connection is closed', async () => {
    const { port, errors } = await serve(measure);
    const client = raw(port);
    let sent = 0;
    const more = (): void => {
      while (!client.socket.destroyed && client.socket.write(chunked(60_000))) sent += 60_000;
    };
    client.socket.on('drain', more);
    client.send(post('Transfer-Encoding: chunked'));
    more();
    await client.until(`limit is ${LIMIT}.`);
    await client.closed;
    expect(sent).toBeLessThan(40 * 1024 * 1024);
    expect(errors).toEqual([]);
  });

  test('that stalls is waited for up to a limit, then the connection is closed', async () => {
    const timers: { readonly callback: () => void; readonly delayMs: number; cancelled: boolean }[] = [];
    const { port } = await serve(measure, {
      clock: {
        ...systemClock,
        setTimer(callback, delayMs) {
          const timer = { callback, delayMs, cancelled: false };
          timers.push(timer);
          return {
            cancel: () => {
              timer.cancelled = true;
            },
          };
        },
      },
    });
    const client = raw(port);
    client.send(post(`Content-Length: ${LIMIT + 1}`, 'then nothing'));
    await client.until(`limit is ${LIMIT}.`);
    expect(timers).toMatchObject([{ delayMs: 5_000, cancelled: false }]);
    timers[0]?.callback();
    await client.closed;
    expect(timers).toMatchObject([{ cancelled: true }]);
  });
});

test('a body over the limit is no uncaught exception where the fetch server passes a stream of Node', async () => {
  const uncaught = vi.fn();
  const listeners = process.rawListeners('uncaughtException') as ((error: Error) => void)[];
  process.removeAllListeners('uncaughtException').on('uncaughtException', uncaught);
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  const fetchHandler = toFetchHandler(async (request) => {
    await sleep(50); // until the buffers between the socket and the handler are full
    return text(String((await readBody(request, 10)).byteLength));
  });
  // As srvx below h3 does.
  const { port } = await listen((req, res) => {
    const body = Readable.toWeb(req) as ReadableStream;
    const request = new Request('http://a/', { method: 'POST', body, duplex: 'half' } as RequestInit);
    void fetchHandler(request).then((response) => res.writeHead(response?.status ?? 0).end());
  });
  const client = raw(port);
  client.send(post('Connection: close\r\nTransfer-Encoding: chunked', chunked(1_000_000)));
  await client.closed;
  expect(uncaught).not.toHaveBeenCalled();
});

describe('a body that is not read', () => {
  test('is not taken for the next request', async () => {
    const { port } = await serve((request) =>
      text(`${request.method} answered.`, request.method === 'GET' ? 200 : 401),
    );
    const client = raw(port);
    client.send(post(`Content-Length: ${GET.length}`, GET) + GET);
    await client.until('POST answered.');
    await client.until('GET answered.');
    client.send(post('Transfer-Encoding: chunked', `${chunked(5)}0\r\n\r\n`));
    await client.closed;
  });

  test('does not stop the bridge from detecting that the client of a stream leaves', async () => {
    const { handler, at } = feedHandler();
    const { port } = await serve(handler);
    const client = raw(port);
    client.send(post('Content-Length: 400000', 'x'.repeat(300_000)));
    const source = await at(0);
    source.push('one');
    await client.until('one');
    client.socket.destroy();
    expect(await source.aborted).toMatchObject({ code: 'client-left' });
  });

  test('may arrive after a stream has ended, and the connection can be reused', async () => {
    const { handler, at } = feedHandler();
    const { port } = await serve(handler);
    const client = raw(port);
    client.send(post('Content-Length: 10', 'half.'));
    (await at(0)).end();
    await client.until('0\r\n\r\n');
    client.send(`half.${GET}`);
    (await at(1)).push('second');
    await client.until('second');
  });
});

test('Expect: 100-continue gets its response before the body is read', async () => {
  const { port } = await serve(measure);
  const client = raw(port);
  client.send(post('Content-Length: 5\r\nExpect: 100-continue'));
  await client.until('100 Continue');
  client.send('hello');
  await client.until('got 5.');
});

describe('a body that never arrives', () => {
  const half = post('Content-Length: 9', '{');

  test('rejects with the reason of the signal that ends its reading, and the response goes out', async () => {
    const deadline = new AbortController();
    const reading = gate();
    const outcome = gate<unknown>();
    const { port, errors } = await serve(async (request) => {
      const read = request.body?.(LIMIT, deadline) as Promise<Uint8Array>;
      reading.open();
      outcome.open(await read.catch((error: unknown) => error));
      return text('too late', 504);
    });
    const client = raw(port);
    client.send(half);
    await reading.promise;
    deadline.abort(new Error('the deadline has passed'));
    expect(await outcome.promise).toEqual(new Error('the deadline has passed'));
    await client.until('too late');
    expect(errors).toEqual([]);
  });

  test('rejects with the reason of a signal that was aborted before', async () => {
    const { port } = await serve(async (request) =>
      text(
        String(
          await (request.body?.(9, { signal: AbortSignal.abort('before') }) as Promise<unknown>).catch(
            (e: unknown) => e,
          ),
        ),
      ),
    );
    const client = raw(port);
    client.send(half);
    await client.until('before');
  });

  test('is not waited for once the response is sent', async () => {
    const outcome = gate<unknown>();
    const { port, errors } = await serve((request) => {
      (request.body?.(LIMIT) as Promise<Uint8Array>).catch(outcome.open);
      return text('answered');
    });
    const client = raw(port);
    client.send(half);
    await client.until('answered');
    expect(await outcome.promise).toMatchObject({ name: 'BodyError', code: 'aborted' });
    expect(errors).toEqual([]);
  });

  test('is not waited for when other code has responded and the client has left', async () => {
    const outcome = gate<unknown>();
    const listener = toNodeListener((request) => {
      (request.body?.(LIMIT) as Promise<Uint8Array>).catch(outcome.open);
      return new Promise(() => undefined);
    });
    const { port } = await listen((req, res) => {
      listener(req, res);
      res.end('somebody else');
    });
    const client = raw(port);
    client.send(half);
    await client.until('somebody else');
    client.socket.destroy();
    expect(await outcome.promise).toMatchObject({ name: 'BodyError', code: 'aborted' });
  });
});
