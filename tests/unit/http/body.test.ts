import { describe, expect, test, vi } from 'vitest';
import { isBodyError, readBody } from '../../../src/http/body.js';
import type { ApiRequest } from '../../../src/http/request.js';

const post = (body: ApiRequest['body']): ApiRequest => ({ method: 'POST', url: '/', body });
const tooLarge = (limit: number) => expect.objectContaining({ name: 'BodyError', code: 'too-large', limit }) as unknown;
const promised = async <T>(work: () => T | Promise<T>): Promise<T> => work();

describe('readBody', () => {
  test('returns no bytes without a body', async () => {
    expect(await readBody(post(undefined), 10)).toEqual(new Uint8Array(0));
  });

  test('calls the body function once, with the limit and the call', async () => {
    const body = vi.fn(() => Promise.resolve(new Uint8Array([1, 2])));
    const call = { signal: undefined };
    expect(await readBody(post(body), 10, call)).toEqual(new Uint8Array([1, 2]));
    expect(body.mock.calls).toEqual([[10, call]]);
  });

  test('writes strings as UTF-8', async () => {
    expect(
      await readBody(
        post(() => 'é'),
        2,
      ),
    ).toEqual(new Uint8Array([0xc3, 0xa9]));
  });

  test.each([
    ['bytes', new Uint8Array(3)],
    ['text', 'abc'],
    ['text that is longer as UTF-8', 'éa'],
  ])('enforces the limit on %s that ignored it', async (_, content) => {
    for (const body of [() => content, () => Promise.resolve(content)]) {
      await expect(promised(() => readBody(post(body), 2))).rejects.toEqual(tooLarge(2));
      expect((await readBody(post(body), 3)).byteLength).toBe(3);
    }
  });

  test('rethrows errors of the body function', async () => {
    const error = new Error('x');
    await expect(
      promised(() =>
        readBody(
          post(() => Promise.reject(error)),
          2,
        ),
      ),
    ).rejects.toBe(error);
    expect(isBodyError(error)).toBe(false);
  });

  test('does not take an object that throws for a BodyError', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(isBodyError(proxy)).toBe(false);
  });

  test('refuses other results with a TypeError', async () => {
    await expect(promised(() => readBody(post((() => ({})) as never), 2))).rejects.toThrow(TypeError);
  });
});
