import { describe, expect, test, vi } from 'vitest';
import { toFetchHandler } from '../../../../src/fetch.js';
import type { ApiHandler } from '../../../../src/http/handler.js';
import type { ApiRequest } from '../../../../src/http/request.js';
import type { ApiResponse } from '../../../../src/http/response.js';

const answer = (more: Partial<ApiResponse> = {}): ApiResponse => ({ status: 200, headers: {}, body: 'text', ...more });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const abortError = (): Error => Object.assign(new Error('stopped'), { name: 'AbortError' });

/** A body whose steps the test answers. */
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
    ['of HEAD', { method: 'HEAD' }, {}],
    ['of a status without one', {}, { status: 204 }],
  ])('That %s is let go of, and the signal of the request says why.', async (_, init, more) => {
    const { body, released } = source();
    let request: ApiRequest | undefined;
    const { response } = await ask(
      (one) => ((request = one), answer({ body, ...more })),
      new Request('http://host/', init),
    );
    expect([response?.status, await response?.text()]).toEqual([more.status ?? 200, '']);
    expect(released).toHaveBeenCalledOnce();
    expect(request?.signal?.reason).toMatchObject({ name: 'AbortError', code: 'body-unwanted' });
  });

  test('That of an answer that cannot be one is let go of, and the service is told.', async () => {
    const { body, released } = source();
    const { response, errors } = await ask(() => answer({ status: 42, body }));
    expect(response?.status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(released).toHaveBeenCalledOnce();
  });
});

describe('the length of an answer', () => {
  const lengthOf = async (
    method: string,
    headers: Record<string, string>,
    body: string | null,
  ): Promise<string | null> => {
    const { response } = await ask(() => answer({ headers, body }), new Request('http://host/', { method }));
    return response?.headers.get('content-length') ?? null;
  };

  test('It is that of its body, whatever its headers say, but for HEAD without a body.', async () => {
    expect(await lengthOf('GET', {}, 'é')).toBe('2');
    expect(await lengthOf('GET', { 'content-length': '9' }, 'é')).toBe('2');
    expect(await lengthOf('GET', { 'content-length': '9' }, null)).toBe('0');
    expect(await lengthOf('HEAD', {}, 'é')).toBe('2');
    expect(await lengthOf('HEAD', { 'content-length': '9' }, 'é')).toBe('2');
    expect(await lengthOf('HEAD', { 'content-length': '9' }, null)).toBe('9');
    expect(await lengthOf('HEAD', {}, null)).toBe('0');
  });

  test('Headers with several values are several headers.', async () => {
    const { response } = await ask(() => answer({ headers: { 'set-cookie': ['a=1', 'b=2'], vary: 'accept' } }));
    expect([response?.headers.getSetCookie(), response?.headers.get('vary')]).toEqual([['a=1', 'b=2'], 'accept']);
  });
});

describe('the signal of a request', () => {
  test('It is aborted for whoever reads it after the client has left, with the first reason.', async () => {
    const client = new AbortController();
    const { body } = source();
    let request: ApiRequest | undefined;
    const { response } = await ask(
      (one) => ((request = one), answer({ body })),
      new Request('http://host/', { signal: client.signal }),
    );
    await response?.body?.cancel();
    client.abort();
    expect(request?.signal?.reason).toMatchObject({ code: 'client-left' });
    const late = await ask(
      (one) => ((request = one), answer()),
      new Request('http://host/', { signal: client.signal }),
    );
    expect(late.response?.status).toBe(200);
  });

  test('It stays as it was once the answer is out.', async () => {
    const client = new AbortController();
    let request: ApiRequest | undefined;
    const handler: ApiHandler = (one) => {
      request = one;
      expect(one.signal?.aborted).toBe(false);
      return answer();
    };
    await ask(handler, new Request('http://host/', { signal: client.signal }));
    client.abort();
    await settled();
    expect(request?.signal?.aborted).toBe(false);
    await ask((one) => ((request = one), undefined), new Request('http://host/', { signal: client.signal }));
    expect(request?.signal?.aborted).toBe(false);
  });

  test('What a handler throws because of it is no error; anything else is.', async () => {
    for (const [left, error, told] of [
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
      expect([response?.status, errors]).toEqual([500, told === 0 ? [] : [error]]);
    }
  });
});

describe('a streamed body', () => {
  test('A source that fails after the consumer has left is nobody’s error.', async () => {
    const { body, released, steps } = source();
    const { response, errors } = await ask(() => answer({ body }));
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

  test('Empty chunks are passed over, and what is no chunk breaks the body off.', async () => {
    const { body, released, steps } = source();
    const { response, errors } = await ask(() => answer({ body }));
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
    expect(errors).toMatchObject([{ name: 'TypeError', message: 'a streamed body must give Uint8Array chunks' }]);
    expect(released).toHaveBeenCalledOnce();
  });
});
