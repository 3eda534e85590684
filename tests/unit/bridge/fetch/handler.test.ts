import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toFetchHandler } from '../../../../src/fetch.js';
import { readBody } from '../../../../src/http/body.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { fakeClock } from '../../../../src/testing.js';

const text = (body: string, status = 200): ApiResponse => ({ status, headers: { 'content-type': 'text/plain' }, body });
const echo: ApiHandler = async (request) => text(Buffer.from(await readBody(request, 10)).toString());
const post = (body: NonNullable<RequestInit['body']>, init: RequestInit = {}): Request =>
  new Request('http://host/x', { method: 'POST', body, ...init });

async function responseOf(promise: Promise<Response | undefined>): Promise<Response> {
  const response = await promise;
  if (response === undefined) throw new Error('not ours');
  return response;
}

/** A source written by hand that parks until its signal aborts. */
function pendingBody(signal: AbortSignal, first: string[] = []) {
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const started = vi.fn();
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        started();
        const value = first.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value: Buffer.from(value) });
        return new Promise((resolve) => {
          const end = (): void => resolve({ done: true, value: undefined });
          if (signal.aborted) end();
          else signal.addEventListener('abort', end);
        });
      },
      return: returned,
    }),
  };
  return { body, returned, started };
}

describe('the request', () => {
  test.each([[{ url: '/readyz', headers: {} }], [undefined]])('is no request of Node: %j', async (given) => {
    const handler = toFetchHandler(() => text(''));
    await expect(handler(given as unknown as Request)).rejects.toThrow(
      new TypeError('toFetchHandler: called without a Request of fetch: kube-vitals/node is for the requests of Node'),
    );
  });

  test('has path and query as received, without base path and fragment', async () => {
    const seen: string[] = [];
    const handler = toFetchHandler((request) => void seen.push(request.url), { basePath: '/in' });
    await handler(new Request('http://host/in/a%2Fb?x=%20#part'));
    await handler(new Request('http://host/in'));
    await handler(new Request('http://host/inside'));
    expect(seen).toEqual(['/a%2Fb?x=%20', '/']);
  });

  test('has headers as own properties, whatever their names', async () => {
    let seen: ApiRequest | undefined;
    const handler = toFetchHandler((request) => {
      seen = request;
      return text('');
    });
    const headers = new Headers([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['Accept', 'c'],
      ['accept', 'd'],
    ]);
    await handler(new Request('http://host/', { headers }));
    expect(Object.entries(seen?.headers ?? {})).toEqual([
      ['__proto__', 'a'],
      ['accept', 'c, d'],
      ['constructor', 'b'],
    ]);
    expect(seen?.headers?.['toString']).toBeUndefined();
  });

  test('has the data of the server about the client', async () => {
    const peerCertificate = { commonName: 'jane', organizations: ['ops'] };
    const handler = toFetchHandler((request) => text(JSON.stringify([request.remoteAddress, request.peerCertificate])));
    const request = new Request('http://host/');
    const informed = await responseOf(handler(request, { remoteAddress: '10.0.0.1', peerCertificate }));
    expect(await informed.json()).toEqual(['10.0.0.1', peerCertificate]);
    expect(await (await responseOf(handler(request))).json()).toEqual([null, null]);
  });

  test('has a body, up to the limit of the handler and of the bridge', async () => {
    const handler = toFetchHandler(echo);
    expect(await (await responseOf(handler(post('0123456789')))).text()).toBe('0123456789');
    expect(await (await responseOf(handler(new Request('http://host/', { method: 'DELETE' })))).text()).toBe('');
    expect((await responseOf(handler(post('0123456789a')))).status).toBe(413);
    const early = post('0123456789a', { headers: { 'content-length': '11' } });
    expect((await responseOf(handler(early))).status).toBe(413);
    expect((await responseOf(toFetchHandler(echo, { maxBodyBytes: 3 })(post('0123')))).status).toBe(413);
  });

  test('stops reading one chunk past the limit, and cancels the rest', async () => {
    let given = 0;
    const cancelled = vi.fn();
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        given++;
        controller.enqueue(new Uint8Array(4));
      },
      cancel: cancelled,
    });
    const response = await responseOf(toFetchHandler(echo)(post(endless, { duplex: 'half' } as RequestInit)));
    expect(response.status).toBe(413);
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
    expect(given).toBeLessThan(10);
  });

  test('leaves a body unread whose length is too large', async () => {
    const request = post('0123456789a', { headers: { 'content-length': '11' } });
    expect((await responseOf(toFetchHandler(echo)(request))).status).toBe(413);
    expect([request.bodyUsed, request.body?.locked]).toEqual([false, false]);
  });

  describe('with a body that never arrives', () => {
    const endless = (
      init: RequestInit = {},
    ): { readonly request: Request; readonly cancelled: ReturnType<typeof vi.fn> } => {
      const cancelled = vi.fn();
      const body = new ReadableStream<Uint8Array>({ cancel: cancelled });
      return { request: post(body, { duplex: 'half', ...init } as RequestInit), cancelled };
    };

    test('stops reading when the given signal aborts, with its reason', async () => {
      const deadline = new AbortController();
      const { request, cancelled } = endless();
      let outcome: unknown;
      const handler = toFetchHandler(async ({ body }) => {
        const reading = Promise.resolve(body?.(10, deadline));
        deadline.abort(new Error('too late'));
        outcome = await reading.catch((error: unknown) => error);
        return text('', 504);
      });
      expect((await responseOf(handler(request))).status).toBe(504);
      expect(outcome).toEqual(new Error('too late'));
      expect(cancelled).toHaveBeenCalledOnce();
    });

    test('stops reading when the client disconnects, although the stream does not report that', async () => {
      const leaving = new AbortController();
      const { request } = endless({ signal: leaving.signal });
      const onError = vi.fn();
      const response = toFetchHandler(echo, { onError })(request);
      leaving.abort();
      expect((await responseOf(response)).status).toBe(400);
      expect(onError).not.toHaveBeenCalled();
    });

    test('stops reading when the response is returned', async () => {
      const { request } = endless();
      let reading: Promise<unknown> | undefined;
      const handler = toFetchHandler(({ body }) => {
        reading = expect(body?.(10)).rejects.toMatchObject({ name: 'BodyError', code: 'aborted' });
        return text('answered');
      });
      expect(await (await responseOf(handler(request))).text()).toBe('answered');
      await reading;
    });
  });

  test('with a body that breaks off is a client error', async () => {
    const onError = vi.fn();
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) });
    const request = post(broken, { duplex: 'half' } as RequestInit);
    expect((await responseOf(toFetchHandler(echo, { onError })(request))).status).toBe(400);
    expect(onError).not.toHaveBeenCalled();
  });

  test('with a body that was read before is a TypeError that explains what to do', async () => {
    const request = post('x');
    await request.text();
    await expect(toFetchHandler(echo)(request)).rejects.toThrow(/read already: hand the Request over unread/);
    const ignoring: ApiHandler = (inner) =>
      Promise.resolve(readBody(inner, 1)).then(
        () => text('ok'),
        () => text('caught', 500),
      );
    await expect(toFetchHandler(ignoring)(request)).rejects.toThrow(TypeError);
    expect(await toFetchHandler(() => undefined)(request)).toBeUndefined();
    expect((await toFetchHandler(() => text('no body asked for'))(request))?.status).toBe(200);
  });
});

describe('the response', () => {
  test('has its length, headers and body', async () => {
    const handler = toFetchHandler(() => ({ status: 201, headers: { 'x-a': '1', warning: ['a', 'b'] }, body: 'é' }));
    const response = await responseOf(handler(new Request('http://host/')));
    expect(response.status).toBe(201);
    expect([...response.headers]).toEqual([
      ['content-length', '2'],
      ['warning', 'a, b'],
      ['x-a', '1'],
    ]);
    expect(await response.text()).toBe('é');
  });

  test('of HEAD keeps the length and has no body', async () => {
    const response = await responseOf(
      toFetchHandler(() => text('four'))(new Request('http://host/', { method: 'HEAD' })),
    );
    expect(response.headers.get('content-length')).toBe('4');
    expect(response.body).toBeNull();
  });

  test.each([
    ['a stream without a length has none', {}, null],
    ['a stream with a length keeps it', { 'content-length': '7' }, '7'],
  ])('of HEAD for %s', async (_what, headers, expected) => {
    const handler = toFetchHandler(({ signal }) => ({
      status: 200,
      headers,
      body: pendingBody(signal as AbortSignal).body,
    }));
    const response = await responseOf(handler(new Request('http://host/', { method: 'HEAD' })));
    expect(response.headers.get('content-length')).toBe(expected);
  });

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('of %s with %i never starts a stream, and ends its source', async (method, status) => {
    let source: ReturnType<typeof pendingBody> | undefined;
    let signal: AbortSignal | undefined;
    const handler = toFetchHandler((request) => {
      signal = request.signal;
      source = pendingBody(signal as AbortSignal);
      return { status, headers: {}, body: source.body };
    });
    expect((await responseOf(handler(new Request('http://host/', { method })))).body).toBeNull();
    expect(signal?.aborted).toBe(true);
    expect(source?.returned).toHaveBeenCalledOnce();
    expect(source?.started).not.toHaveBeenCalled();
  });

  test('of a foreign path is undefined', async () => {
    expect(await toFetchHandler(() => undefined)(new Request('http://host/'))).toBeUndefined();
    expect(await toFetchHandler(() => Promise.resolve(undefined))(new Request('http://host/'))).toBeUndefined();
  });

  test.each([
    [
      'thrown',
      (): never => {
        throw new Error('hunter2');
      },
    ],
    ['rejected', () => Promise.reject(new Error('hunter2'))],
    ['a malformed answer', () => ({ status: 1 }) as never],
    ['a malformed header', () => ({ status: 200, headers: { 'a b': 'c' }, body: null })],
    [
      'an answer that throws for every member',
      () =>
        new Proxy(
          {},
          {
            get(_target, member) {
              if (member === 'then') return undefined;
              throw new Error('hunter2');
            },
          },
        ) as never,
    ],
  ] as [string, ApiHandler][])('of a failure is a bare 500: %s', async (_, handler) => {
    const onError = vi.fn();
    const response = await responseOf(toFetchHandler(handler, { onError })(new Request('http://host/')));
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('Internal Server Error\n');
    expect(onError.mock.calls).toEqual([[expect.any(Error), 'handler']]);
  });
});

describe('a streamed response', () => {
  const streaming = (first: string[], options = {}) => {
    const made: { source?: ReturnType<typeof pendingBody>; signal?: AbortSignal } = {};
    const handler = toFetchHandler((request) => {
      made.signal = request.signal as AbortSignal;
      made.source = pendingBody(made.signal, first);
      return { status: 200, headers: {}, body: made.source.body };
    }, options);
    return { made, handler };
  };

  test('requests a chunk only when it is read', async () => {
    const { made, handler } = streaming(['a', '', 'b']);
    const reader = (await responseOf(handler(new Request('http://host/')))).body?.getReader();
    expect(made.source?.started).not.toHaveBeenCalled();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('a');
    expect(made.source?.started).toHaveBeenCalledTimes(1);
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('b');
  });

  test('copies chunks, because the source reuses their buffer', async () => {
    const buffer = Buffer.alloc(1);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (const letter of 'abc') {
        buffer.fill(letter);
        yield await Promise.resolve(buffer);
      }
    }
    const handler = toFetchHandler(() => ({ status: 200, headers: {}, body: source() }));
    const chunks: Uint8Array[] = [];
    const { body } = await responseOf(handler(new Request('http://host/')));
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('abc');
  });

  test('that is cancelled aborts the signal and ends the source, even while it waits or has not begun', async () => {
    for (const reads of [0, 1, 2]) {
      const onError = vi.fn();
      const { made, handler } = streaming(['a'], { onError });
      const reader = (await responseOf(handler(new Request('http://host/')))).body?.getReader();
      for (let read = 0; read < reads; read++) {
        const pending = reader?.read();
        if (read === 0) await pending;
      }
      await reader?.cancel();
      expect(made.signal?.reason).toMatchObject({ name: 'AbortError', code: 'client-left' });
      expect(made.source?.returned).toHaveBeenCalledOnce();
      expect(onError).not.toHaveBeenCalled();
    }
  });

  test('ends when the signal of the request aborts, and is not affected after its end', async () => {
    const client = new AbortController();
    const { made, handler } = streaming(['a']);
    const response = await responseOf(handler(new Request('http://host/', { signal: client.signal })));
    const whole = response.text();
    client.abort();
    expect(await whole).toBe('a');
    expect(made.signal?.reason).toMatchObject({ code: 'client-left' });

    const late = new AbortController();
    let signal: AbortSignal | undefined;
    const plain = toFetchHandler((request) => {
      signal = request.signal;
      return text('done');
    });
    await plain(new Request('http://host/', { signal: late.signal }));
    late.abort();
    expect(signal?.aborted).toBe(false);
  });

  test('ends cleanly when the server closes', async () => {
    const closing = new AbortController();
    const { made, handler } = streaming(['a'], { signal: closing.signal });
    const whole = (await responseOf(handler(new Request('http://host/')))).text();
    closing.abort();
    expect(await whole).toBe('a');
    expect(made.signal?.reason).toMatchObject({ code: 'server-closing' });
    expect(await (await responseOf(handler(new Request('http://host/')))).text()).toBe('');
  });

  test('that fails is aborted without the reason, and the hook is called', async () => {
    const onError = vi.fn();
    const secret = new Error('hunter2');
    async function* source(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('a'));
      throw secret;
    }
    const handler = toFetchHandler(() => ({ status: 200, headers: {}, body: source() }), { onError });
    const response = await responseOf(handler(new Request('http://host/')));
    await expect(response.text()).rejects.toThrow(/^the response body failed$/);
    expect(onError.mock.calls).toEqual([[secret, 'stream']]);
  });
});

describe('a consumer that does not read the next chunk', () => {
  const streaming = (stallTimeoutMs?: number) => {
    const clock = fakeClock();
    const onError = vi.fn();
    let made: ReturnType<typeof pendingBody> | undefined;
    let signal: AbortSignal | undefined;
    const handler = toFetchHandler(
      (request) => {
        signal = request.signal;
        made = pendingBody(request.signal as AbortSignal, ['one', 'two']);
        return { status: 200, headers: {}, body: made.body };
      },
      { clock, onError, ...(stallTimeoutMs !== undefined && { stallTimeoutMs }) },
    );
    return {
      clock,
      onError,
      handler,
      source: () => made as ReturnType<typeof pendingBody>,
      signal: () => signal as AbortSignal,
    };
  };

  test('is disconnected after a minute, and the source is ended', async () => {
    const { clock, handler, source, signal, onError } = streaming();
    const response = await responseOf(handler(new Request('http://host/')));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    clock.advance(59_000);
    expect(signal().aborted).toBe(false);
    clock.advance(6_000);
    expect(signal().reason).toMatchObject({ code: 'reader-stalled' });
    expect(source().returned).toHaveBeenCalledOnce();
    await expect(reader.read()).rejects.toThrow('the response body failed');
    expect(onError).not.toHaveBeenCalled();
  });

  test('is disconnected if it does not read the first chunk either', async () => {
    const { clock, handler, source, signal } = streaming(1_000);
    await responseOf(handler(new Request('http://host/')));
    clock.advance(1_100);
    expect(signal().reason).toMatchObject({ code: 'reader-stalled' });
    expect(source().returned).toHaveBeenCalledOnce();
  });

  test('is distinguished from one that waits for the source', async () => {
    const { clock, handler, signal } = streaming();
    const response = await responseOf(handler(new Request('http://host/')));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let count = 0; count < 2; count++) await reader.read();
    void reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(600_000);
    expect(signal().aborted).toBe(false);
  });
});

test('streams are aborted before the listeners that a service adds to its signal after the handler was made', async () => {
  const shutdown = new AbortController();
  let request: ApiRequest | undefined;
  const handler = toFetchHandler(
    (given) => {
      request = given;
      return { status: 200, headers: {}, body: pendingBody(given.signal as AbortSignal).body };
    },
    { signal: shutdown.signal },
  );
  const seen: unknown[] = [];
  shutdown.signal.addEventListener('abort', () => seen.push(request?.signal?.aborted));
  const response = await responseOf(handler(new Request('http://host/x')));
  const text = response.text();
  shutdown.abort();
  await text;
  expect(seen).toEqual([true]);
});

test('the signal of a response aborts its body and ends the source', async () => {
  const giveUp = new AbortController();
  let made: ReturnType<typeof pendingBody> | undefined;
  let asked: AbortSignal | undefined;
  const handler = toFetchHandler((request) => {
    asked = request.signal;
    made = pendingBody(request.signal as AbortSignal, ['one']);
    return { status: 200, headers: {}, body: made.body, signal: giveUp.signal };
  });
  const response = await responseOf(handler(new Request('http://host/')));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  giveUp.abort();
  expect(asked?.reason).toMatchObject({ code: 'response-abandoned' });
  expect(made?.returned).toHaveBeenCalledOnce();
  await expect(reader.read()).rejects.toThrow('the response body failed');
});

test('a compressed body is marked as encoded already, because Cloudflare Workers would encode it again', async () => {
  const inits: unknown[] = [];
  const RealResponse = Response;
  vi.stubGlobal(
    'Response',
    class extends RealResponse {
      constructor(body?: ConstructorParameters<typeof RealResponse>[0], init?: ResponseInit) {
        super(body, init);
        inits.push(init);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const gzipped = { 'content-encoding': 'gzip' };
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from('x'));
  };
  await toFetchHandler(() => ({ status: 200, headers: gzipped, body: Buffer.from('x') }))(new Request('http://host/'));
  await toFetchHandler(() => ({ status: 200, headers: gzipped, body: source() }))(new Request('http://host/'));
  await toFetchHandler(() => text('x'))(new Request('http://host/'));
  expect(inits.map((init) => (init as { encodeBody?: string }).encodeBody)).toEqual(['manual', 'manual', undefined]);
});

test('a response whose status allows no body has no content-length either', async () => {
  for (const body of [null, '', new Uint8Array(0), 'ignored']) {
    const handle = toFetchHandler(() => ({ status: 204, headers: { 'content-length': '7' }, body }));
    const response = await responseOf(handle(new Request('http://host/x')));
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([204, null, '']);
  }
});

test.each(['GET', 'HEAD'])('a response with status 205 has no content and a length of 0: %s', async (method) => {
  const source = pendingBody(new AbortController().signal);
  for (const body of ['ignored', null, source.body]) {
    const handle = toFetchHandler(() => ({ status: 205, headers: { 'content-length': '7' }, body }));
    const response = await responseOf(handle(new Request('http://host/x', { method })));
    expect([response.status, response.headers.get('content-length'), response.body]).toEqual([205, '0', null]);
  }
  expect(source.returned).toHaveBeenCalledOnce();
});

test('one chunk at a time is requested from a source, however many reads wait', async () => {
  const given: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<Uint8Array>>((resolve) => given.push(resolve)),
    }),
  };
  const response = await responseOf(
    toFetchHandler(() => ({ status: 200, headers: {}, body }))(new Request('http://host/x')),
  );
  const reader = response.body?.getReader();
  const reads = [reader?.read(), reader?.read(), reader?.read()];
  await new Promise((resolve) => setImmediate(resolve));
  expect(given).toHaveLength(1);
  given[0]?.({ done: false, value: Buffer.from('a') });
  await reads[0];
  await new Promise((resolve) => setImmediate(resolve));
  expect(given).toHaveLength(2);
  await reader?.cancel();
});
