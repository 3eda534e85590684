import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import { readBody } from '../../../src/http/body.js';
import type { ApiHandler } from '../../../src/http/handler.js';
import type { ApiRequest } from '../../../src/http/request.js';
import { call } from '../../../src/testing/call.js';

const ok = (body: string) => ({ status: 200, headers: { 'x-a': 'b' }, body });

function stream(...chunks: string[]): AsyncIterable<Uint8Array> {
  return (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
  })();
}

describe('call', () => {
  test('returns status, headers and body', async () => {
    const result = await call(() => ok('{"a":1}'), 'GET /x');
    expect(result).toMatchObject({ claimed: true, status: 200, headers: { 'x-a': 'b' } });
    expect(await result.text()).toBe('{"a":1}');
    expect(await result.json()).toEqual({ a: 1 });
  });

  test('sends the given request', async () => {
    const handler = vi.fn<ApiHandler>(() => ok(''));
    const peerCertificate = { commonName: 'jane', organizations: [] };
    const more = { remoteAddress: '::1', peerCertificate, headers: { accept: ['a', 'b'] } };
    await call(handler, 'PUT /x?y', { token: 't', json: { a: 1 }, ...more });
    const request = handler.mock.calls[0]?.[0] as ApiRequest;
    expect(request).toMatchObject({ method: 'PUT', url: '/x?y', remoteAddress: '::1', peerCertificate });
    expect(request.headers).toEqual({
      authorization: 'Bearer t',
      'content-type': 'application/json',
      'content-length': '7',
      accept: ['a', 'b'],
    });
    expect(Buffer.from(await readBody(request, 100)).toString()).toBe('{"a":1}');
    await expect(async () => readBody(request, 100)).rejects.toThrow(/twice/);
  });

  test('takes names of headers in any case, as a client sends them', async () => {
    const handler = vi.fn<ApiHandler>(() => ok(''));
    await call(handler, 'PATCH /x', { json: [], headers: { Authorization: 'Bearer a', 'Content-Type': 'text/plain' } });
    expect(handler.mock.calls[0]?.[0].headers).toEqual({
      authorization: 'Bearer a',
      'content-type': 'text/plain',
      'content-length': '2',
    });
  });

  test('prefers headers over what json and token imply', async () => {
    const handler = vi.fn<ApiHandler>(() => ok(''));
    const headers = { 'content-type': 'application/json-patch+json', 'content-length': '3' };
    await call(handler, 'PATCH /x', { json: [], headers });
    expect(handler.mock.calls[0]?.[0].headers).toEqual(headers);
  });

  test('refuses a body over the limit of the handler as a server would', async () => {
    const handler: ApiHandler = async (request) => ok(String(await readBody(request, 2)));
    await expect(call(handler, 'POST /x', { body: 'abc' })).rejects.toMatchObject({ code: 'too-large', limit: 2 });
  });

  test('takes bytes of another realm, as every Buffer is in the jsdom environment of Vitest', async () => {
    const handler: ApiHandler = async (request) => ok(String(Buffer.from(await readBody(request, 2))));
    const body = runInNewContext('Uint8Array.of(97, 98)') as Uint8Array;
    expect(await (await call(handler, 'POST /x', { body })).text()).toBe('ab');
  });

  test('returns a 404 marked as unclaimed for a foreign path', async () => {
    const result = await call(() => undefined, 'GET /x');
    expect(result).toMatchObject({ claimed: false, status: 404 });
    expect(await result.text()).toBe('404 page not found\n');
  });

  test('passes errors on', async () => {
    const error = new Error('x');
    await expect(call(() => Promise.reject(error), 'GET /x')).rejects.toBe(error);
  });

  test.each(['GET', '/x', 'get /x', 'GET  /x', 'GET /x HTTP/1.1'])('refuses the target "%s"', async (target) => {
    await expect(call(() => ok(''), target)).rejects.toThrow(TypeError);
  });

  test('refuses json together with body', async () => {
    await expect(call(() => ok(''), 'POST /x', { json: 1, body: '1' })).rejects.toThrow(TypeError);
  });

  test('splits a stream into frames by lines, whatever the chunks are', async () => {
    const result = await call(
      () => ({ status: 200, headers: {}, body: stream('{"a":"', 'é"}\n{"a', '":2}\n\n', '3') }),
      'GET /',
    );
    const frames: unknown[] = [];
    for await (const frame of result.frames()) frames.push(frame);
    expect(frames).toEqual([{ a: 'é' }, { a: 2 }, 3]);
  });

  test('disconnects when the loop over frames is left, but not when all are read', async () => {
    const signals: AbortSignal[] = [];
    const handler: ApiHandler = (request) => {
      signals.push(request.signal as AbortSignal);
      return { status: 200, headers: {}, body: stream('1\n', '2\n') };
    };
    for await (const frame of (await call(handler, 'GET /')).frames<number>()) if (frame === 1) break;
    expect(signals[0]?.aborted).toBe(true);
    for await (const frame of (await call(handler, 'GET /')).frames<number>()) expect(frame).toBeGreaterThan(0);
    expect(signals[1]?.aborted).toBe(false);
  });

  test('aborts the request with its signal', async () => {
    const client = new AbortController();
    let signal: AbortSignal | undefined;
    await call(
      (request) => {
        signal = request.signal;
        return ok('');
      },
      'GET /',
      { signal: client.signal },
    );
    client.abort();
    expect(signal?.aborted).toBe(true);
  });
});
