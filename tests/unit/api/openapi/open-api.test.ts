import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../../../../src/api/openapi/open-api.js';
import type { Clock } from '../../../../src/clock/clock.js';

const NAME = 'apis/events.example.com/v1';
const DOCUMENT = { openapi: '3.0.0', paths: {} };
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5) * 1000,
  monotonic: () => 0,
  setTimer: () => ({ cancel: () => undefined }),
};
let made = 0;
const openApi = createOpenApi(new Map([[NAME, () => (made++, DOCUMENT)]]), clock);

const get = async (path: string, hash?: string, headers: Record<string, string> = {}) => {
  const query = new Map(hash === undefined ? [] : [['hash', [hash]]]);
  const response = await openApi(path, query, { headers });
  if (!response) return undefined;
  const { body } = response;
  return {
    ...response,
    json: body instanceof Uint8Array ? (JSON.parse(new TextDecoder().decode(body)) as unknown) : body,
  };
};
const currentHash = async (): Promise<string> =>
  String((await get(`/openapi/v3/${NAME}`))?.headers['etag']).slice(1, -1);

test('foreign paths get no response', async () => {
  expect(await get('/openapi')).toBeUndefined();
  expect(await get('/openapi/v3x')).toBeUndefined();
});

describe('the index', () => {
  test('links to each document with its hash', async () => {
    const response = await get('/openapi/v3');
    expect(response?.status).toBe(200);
    expect(response?.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-cache, private',
    });
    expect(response?.headers['etag']).toMatch(/^"[0-9A-F]{128}"$/);
    expect(response?.json).toEqual({
      paths: { [NAME]: { serverRelativeURL: `/openapi/v3/${NAME}?hash=${await currentHash()}` } },
    });
  });

  test('serves any Accept header, and responds with 304 for its ETag', async () => {
    const first = await get('/openapi/v3', undefined, { accept: 'text/html' });
    expect(first?.status).toBe(200);
    const second = await get('/openapi/v3', undefined, { 'if-none-match': String(first?.headers['etag']) });
    expect(second).toMatchObject({ status: 304, body: null });
  });
});

describe('a document', () => {
  test('without a hash is validated by its ETag', async () => {
    const response = await get(`/openapi/v3/${NAME}`);
    expect(response).toMatchObject({ status: 200, json: DOCUMENT });
    expect(response?.headers).toMatchObject({ 'cache-control': 'no-cache, private', vary: 'Accept' });
    const again = await get(`/openapi/v3/${NAME}`, undefined, {
      'if-none-match': `W/${String(response?.headers['etag'])}`,
    });
    expect(again?.status).toBe(304);
  });

  test('with the right hash may be cached for a year', async () => {
    const response = await get(`/openapi/v3/${NAME}`, await currentHash());
    expect(response?.status).toBe(200);
    expect(response?.headers).toMatchObject({
      'cache-control': 'public, immutable',
      expires: 'Sat, 02 Jan 2027 03:04:05 GMT',
      vary: 'Accept',
    });
  });

  test('with a wrong hash is redirected', async () => {
    const response = await get(`/openapi/v3/${NAME}`, 'BAD');
    expect(response).toMatchObject({ status: 301, body: null });
    expect(response?.headers['location']).toBe(`/openapi/v3/${NAME}?hash=${await currentHash()}`);
  });

  test.each([
    ['application/json', 200],
    ['application/json, */*', 200],
    ['*/*', 200],
    ['', 200],
    ['application/com.github.proto-openapi.spec.v3@v1.0+protobuf', 406],
    ['application/com.github.proto-openapi.spec.v3@v1.0+protobuf, application/json', 200],
    ['text/html', 406],
  ])('for Accept %s gets %i', async (accept, status) => {
    expect((await get(`/openapi/v3/${NAME}`, undefined, { accept }))?.status).toBe(status);
  });

  test('is made only once', async () => {
    await get(`/openapi/v3/${NAME}`);
    await get('/openapi/v3');
    expect(made).toBe(1);
  });

  test('of an unknown group is empty', async () => {
    expect(await get('/openapi/v3/apis/nope/v1')).toMatchObject({ status: 200, body: null });
    expect(await get('/openapi/v3/__proto__')).toMatchObject({ status: 200, body: null });
  });
});

describe('OpenAPI v2', () => {
  const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

  test.each([
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    [PROTOBUF, PROTOBUF.replace('@', '.')],
    [PROTOBUF.replace('@', '.'), PROTOBUF.replace('@', '.')],
    [`application/json;q=0.5, ${PROTOBUF}`, PROTOBUF.replace('@', '.')],
    [`application/json, ${PROTOBUF};q=0.5`, 'application/json'],
  ])('for Accept %j is %s', async (accept, type) => {
    const response = await openApi('/openapi/v2', new Map(), { headers: { accept } });
    expect(response).toMatchObject({
      status: 200,
      headers: { 'content-type': type, vary: 'Accept-Encoding, Accept', 'cache-control': 'no-cache, private' },
    });
    const again = await openApi('/openapi/v2', new Map(), {
      headers: { accept, 'if-none-match': String(response?.headers['etag']) },
    });
    expect(again).toMatchObject({ status: 304, body: null });
  });

  test('is not offered in any other media type', async () => {
    expect(await get('/openapi/v2', undefined, { accept: 'text/html' })).toMatchObject({
      status: 406,
      body: null,
      headers: { vary: 'Accept-Encoding, Accept' },
    });
  });
});
