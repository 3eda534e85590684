import { getEventListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { toFetchHandler } from '../../../../src/fetch.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

const responseWith = (more: Partial<ApiResponse> = {}): ApiResponse => ({
  status: 200,
  headers: {},
  body: 'text',
  ...more,
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const abortError = (): Error => Object.assign(new Error('stopped'), { name: 'AbortError' });

/** A body whose steps the test controls. */
function source() {
  const steps: { resolve: (step: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void }[] = [];
  const released = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => steps.push({ resolve, reject }));
  const body: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: released }) };
  return { body, released, steps };
}

async function ask(
  handler: ApiHandler,
  request = new Request('http://host/x'),
): Promise<{ response: Response | undefined; errors: unknown[] }> {
  const errors: unknown[] = [];
  const response = await toFetchHandler(handler, { onError: (error) => void errors.push(error) })(request);
  return { response, errors };
}

describe('a body that is not sent', () => {
  test.each<[string, RequestInit, Partial<ApiResponse>]>([
    ['HEAD', { method: 'HEAD' }, {}],
    ['a status without a body', {}, { status: 204 }],
  ])('is released for %s, and the signal of the request has the reason', async (_, init, more) => {
    const { body, released } = source();
    let request: ApiRequest | undefined;
    const { response } = await ask(
      (one) => ((request = one), responseWith({ body, ...more })),
      new Request('http://host/', init),
    );
    expect([response?.status, await response?.text()]).toEqual([more.status ?? 200, '']);
    expect(released).toHaveBeenCalledOnce();
    expect(request?.signal?.reason).toMatchObject({ name: 'AbortError', code: 'body-unwanted' });
  });

  test('is released when the response is invalid, which is reported', async () => {
    const { body, released } = source();
    const { response, errors } = await ask(() => responseWith({ status: 42, body }));
    expect(response?.status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(released).toHaveBeenCalledOnce();
  });
});

test('a handler that throws a value that cannot be read gets a bare 500, and that value is reported', async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const { response, errors } = await ask(() => Promise.reject(proxy as Error));
  expect([response?.status, errors.length === 1 && errors[0] === proxy]).toEqual([500, true]);
});

test.each<[string, Partial<ApiResponse>]>([
  ['a header that cannot be sent', { headers: { 'x-y': 'a\nb' } }],
  ['a signal that is none', { signal: {} as AbortSignal }],
])('a stream with %s is released once, and is not referenced afterwards', async (_what, more) => {
  const clock = fakeClock();
  const { body, released } = source();
  const errors: unknown[] = [];
  const handler = toFetchHandler(() => responseWith({ body, ...more }), {
    clock,
    onError: (error) => void errors.push(error),
  });
  expect((await handler(new Request('http://host/')))?.status).toBe(500);
  clock.advance(60_000);
  expect([errors, released.mock.calls.length]).toEqual([[expect.any(TypeError)], 1]);
});

test('a stream that has ended listens to the signal of its response no longer', async () => {
  const { body, steps } = source();
  const { signal } = new AbortController();
  const { response } = await ask(() => responseWith({ body, signal }));
  const text = response?.text();
  await settled();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  steps[0]?.resolve({ done: true, value: undefined });
  expect(await text).toBe('');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('the headers of a response', () => {
  const lengthOf = async (
    method: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<string | null> => {
    const { response } = await ask(() => responseWith({ headers, body }), new Request('http://host/', { method }));
    return response?.headers.get('content-length') ?? null;
  };

  test('have the length of the body, whatever length was set, except for HEAD without a body', async () => {
    expect(await lengthOf('GET', {}, 'é')).toBe('2');
    expect(await lengthOf('GET', { 'content-length': '9' }, 'é')).toBe('2');
    expect(await lengthOf('GET', { 'content-length': '9' }, null)).toBe('0');
    expect(await lengthOf('HEAD', {}, 'é')).toBe('2');
    expect(await lengthOf('HEAD', { 'content-length': '9' }, 'é')).toBe('2');
    expect(await lengthOf('HEAD', { 'content-length': '9' }, null)).toBe('9');
    expect(await lengthOf('HEAD', {}, null)).toBe('0');
  });

  test('may have numbers as values, as over Node, but no missing ones', async () => {
    const headers = { 'retry-after': 5, 'x-list': [1, 2], 'Set-Cookie': 3 } as never;
    const { response } = await ask(() => responseWith({ headers }));
    expect(Object.fromEntries(response?.headers ?? [])).toMatchObject({
      'retry-after': '5',
      'x-list': '1, 2',
      'set-cookie': '3',
    });
    for (const value of [undefined, null]) {
      const { response: failed, errors } = await ask(() => responseWith({ headers: { 'X-Y': value } as never }));
      expect(failed?.status).toBe(500);
      expect(errors).toEqual([new TypeError('the header x-y has no value: leave it out')]);
    }
  });

  test('are joined where they have one name in two spellings', async () => {
    const { response } = await ask(() => responseWith({ headers: { 'X-A': '1', 'x-a': '2' } }));
    expect(response?.headers.get('x-a')).toBe('1, 2');
  });

  test('keep several values of one header separate', async () => {
    const { response } = await ask(() => responseWith({ headers: { 'set-cookie': ['a=1', 'b=2'], vary: 'accept' } }));
    expect([response?.headers.getSetCookie(), response?.headers.get('vary')]).toEqual([['a=1', 'b=2'], 'accept']);
  });
});

describe('the signal of a request', () => {
  test('is aborted with the first reason when it is read after the client has left', async () => {
    const client = new AbortController();
    const { body } = source();
    let request: ApiRequest | undefined;
    const { response } = await ask(
      (one) => ((request = one), responseWith({ body })),
      new Request('http://host/', { signal: client.signal }),
    );
    await response?.body?.cancel();
    client.abort();
    expect(request?.signal?.reason).toMatchObject({ code: 'client-left' });
    const late = await ask(
      (one) => ((request = one), responseWith()),
      new Request('http://host/', { signal: client.signal }),
    );
    expect(late.response?.status).toBe(200);
  });

  test('does not change after the response has been returned', async () => {
    const client = new AbortController();
    let request: ApiRequest | undefined;
    const handler: ApiHandler = (one) => {
      request = one;
      expect(one.signal?.aborted).toBe(false);
      return responseWith();
    };
    await ask(handler, new Request('http://host/', { signal: client.signal }));
    client.abort();
    await settled();
    expect(request?.signal?.aborted).toBe(false);
    await ask((one) => ((request = one), undefined), new Request('http://host/', { signal: client.signal }));
    expect(request?.signal?.aborted).toBe(false);
  });

  test('is the reason not to report an AbortError of the handler; other errors are reported', async () => {
    for (const [left, error, reports] of [
      [true, abortError(), 0],
      [false, abortError(), 1],
      [true, new Error('other'), 1],
    ] as const) {
      const client = new AbortController();
      const handler: ApiHandler = async ({ signal }) => {
        if (left) client.abort();
        expect(signal?.aborted).toBe(left);
        await settled();
        throw error;
      };
      const { response, errors } = await ask(handler, new Request('http://host/', { signal: client.signal }));
      expect([response?.status, errors]).toEqual([500, reports === 0 ? [] : [error]]);
    }
  });
});

describe('a streamed body', () => {
  test('is not reported when its source fails after the consumer has left', async () => {
    const { body, released, steps } = source();
    const { response, errors } = await ask(() => responseWith({ body }));
    const reader = response?.body?.getReader();
    const read = reader?.read();
    await settled();
    await reader?.cancel();
    expect(await read).toMatchObject({ done: true });
    steps[0]?.reject(new Error('late'));
    await settled();
    expect(errors).toEqual([]);
    expect(released).toHaveBeenCalledOnce();
  });

  test('skips empty chunks, and breaks off at anything that is not a chunk', async () => {
    const { body, released, steps } = source();
    const { response, errors } = await ask(() => responseWith({ body }));
    const reader = response?.body?.getReader();
    const read = reader?.read();
    await settled();
    steps[0]?.resolve({ done: false, value: new Uint8Array(0) });
    await settled();
    steps[1]?.resolve({ done: false, value: new Uint8Array([7]) });
    expect((await read)?.value).toEqual(new Uint8Array([7]));
    const rejected = expect(reader?.read()).rejects.toThrow('the response body failed');
    await settled();
    steps[2]?.resolve({ done: false, value: 'text' as never });
    await rejected;
    expect(errors).toMatchObject([{ name: 'TypeError', message: 'a streamed body must yield Uint8Array chunks' }]);
    expect(released).toHaveBeenCalledOnce();
  });
});
