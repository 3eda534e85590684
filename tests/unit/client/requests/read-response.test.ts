import { describe, expect, it } from 'vitest';
import {
  createEventsClient,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  type ApiResponse,
} from '../../../../src/client.js';
import { httpDate, retryAfterMs, warningTexts } from '../../../../src/client/requests/response-headers.js';
import { scriptedClient, event, failureOf, json, refused } from '../scripted-client.js';

const ONCE = { retries: 0 };
const get = (response: Parameters<typeof scriptedClient>[0][number]) =>
  failureOf(scriptedClient([response], { retry: ONCE }).client.get({ name: 'a' }));

describe('a refusal', () => {
  it('has the contents of the Status', async () => {
    const details = {
      name: 'a',
      group: 'events.example.com',
      kind: 'Event',
      causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'reason' }],
    };
    const body = { kind: 'Status', message: 'Event is invalid', reason: 'Invalid', details, code: 422 };
    const error = await get(json(422, body));
    expect(error).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Event is invalid',
      causes: details.causes,
      details,
    });
    expect(error).toSatisfy(isInvalid);
  });

  it.each([
    [isNotFound, 404, 'NotFound'],
    [isConflict, 409, 'Conflict'],
    [isAlreadyExists, 409, 'AlreadyExists'],
    [isExpired, 410, 'Expired'],
    [isExpired, 410, 'Gone'],
    [isUnauthorized, 401, 'Unauthorized'],
    [isForbidden, 403, 'Forbidden'],
    [isTooManyRequests, 429, 'TooManyRequests'],
  ])('is recognised by %o', async (is, code, reason) => {
    const error = await get(refused(code, reason));
    expect(error).toSatisfy(is);
    expect(error).not.toHaveProperty('cause');
    expect(
      await get(refused(418, reason === 'Conflict' || reason === 'AlreadyExists' ? 'Other' : reason)),
    ).not.toSatisfy(is);
    expect(is(new Error('x'))).toBe(false);
  });

  it('of a proxy has the beginning of its text', async () => {
    const page = '<html><head><style>a{}</style><title>502 Bad Gateway</title></head><body>nginx</body></html>';
    expect(await get({ status: 502, headers: {}, body: page })).toMatchObject({
      code: 502,
      reason: '',
      message: 'the server responded with 502: 502 Bad Gateway nginx',
    });
    expect((await get({ status: 418, headers: {}, body: 'x'.repeat(1_000) })).message).toHaveLength(232);
    expect((await get({ status: 418, headers: {}, body: 'x'.repeat(200) })).message).toMatch(/: x{200}$/);
    expect((await get({ status: 400, headers: {}, body: 'bad <name>' })).message).toMatch(/: bad <name>$/);
    expect((await get({ status: 500, headers: {}, body: null })).message).toBe('the server responded with 500');
    expect((await get({ status: 500, headers: {}, body: '{"message":"no Status"}' })).message).toBe(
      'the server responded with 500: {"message":"no Status"}',
    );
  });

  it('has nothing of a Status whose fields have other types', async () => {
    const body = {
      kind: 'Status',
      status: 'Failure',
      message: 5,
      reason: [],
      code: 'x',
      details: { causes: 'x', retryAfterSeconds: -1, name: {} },
    };
    for (const code of [200, 409]) {
      expect(await get(json(code, body))).toMatchObject({
        code,
        reason: '',
        message: `the server responded with ${code}`,
        causes: [],
        retryAfterMs: undefined,
      });
    }
  });

  it('may come with status 200', async () => {
    expect(
      await get(json(200, { kind: 'Status', status: 'Failure', message: 'no', reason: 'Forbidden' })),
    ).toMatchObject({
      name: 'StatusError',
      message: 'no',
    });
  });

  it('says of a response without a body that it is empty', async () => {
    const { message } = await get({ status: 204, headers: {}, body: null });
    expect(message).toBe('the response is not a JSON object: it is empty');
  });

  it('says of a redirect that it is not followed', async () => {
    const { message } = await get({
      status: 302,
      headers: { location: 'https://login.example.com/?state=secret' },
      body: null,
    });
    expect(message).toBe('the server responded with 302 (redirects are not followed)');
  });

  it('is NotFound where the server does not have the API, and names the requested group', async () => {
    const hint = '(does it serve events.example.com/v1? set the option group)';
    const absent = await get(undefined);
    expect(absent).toSatisfy(isNotFound);
    expect(absent.message).toBe(`the server could not find the requested resource ${hint}`);
    const text = { status: 404, headers: {}, body: '404 page not found\n' };
    expect(await get(text)).toMatchObject({
      code: 404,
      reason: '',
      message: `the server responded with 404: 404 page not found ${hint}`,
    });
    const { client } = scriptedClient([text]);
    expect((await failureOf(client.watch()[Symbol.asyncIterator]().next())).message).toContain(hint);
    expect((await get(refused(404, 'NotFound'))).message).toBe('refused: NotFound');
  });
});

describe('a response that is compressed', () => {
  it.each(['get', 'watch'] as const)('is a ResponseError of a %s, and its body is released', async (verb) => {
    let released = 0;
    const body: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: new Uint8Array(9) }),
        return: () => Promise.resolve({ done: true, value: (released += 1) }),
      }),
    };
    const { client } = scriptedClient([{ status: 200, headers: { 'content-encoding': 'gzip' }, body }]);
    const failed = verb === 'get' ? client.get({ name: 'a' }) : client.watch()[Symbol.asyncIterator]().next();
    expect(await failureOf(failed)).toMatchObject({
      name: 'ResponseError',
      message: 'the response is compressed (gzip), which was not requested',
    });
    expect(released).toBe(1);
  });
});

it('an object that is no Status may have its fields', async () => {
  const object = { ...event('a'), status: 'Failure' };
  const { client } = scriptedClient([json(200, object)]);
  expect(await client.get({ name: 'a' })).toEqual(object);
});

describe('a response that is not JSON', () => {
  const whole = JSON.stringify({ kind: 'Event', metadata: { name: 'a', labels: { 'a"\\{': '}]' } }, items: [{}, []] });
  const of = (body: string) => get({ status: 200, headers: {}, body });

  it('is a ConnectionError wherever a JSON object was cut', async () => {
    for (let length = 1; length < whole.length; length++) {
      expect(await of(whole.slice(0, length))).toMatchObject({ name: 'ConnectionError', sent: true });
    }
    expect(await of('{"cut within a text }')).toMatchObject({ name: 'ConnectionError' });
    expect(await of(` \n${whole.slice(0, -1)}`)).toMatchObject({
      message: 'the connection was closed before the response was complete',
    });
  });

  it('is a ConnectionError where a body of unknown length has no bytes at all', async () => {
    async function* nothing(): AsyncGenerator<Uint8Array> {
      // It ends at once.
    }
    const ended = (headers: ApiResponse['headers']) => get({ status: 200, headers, body: nothing() });
    expect(await ended({})).toMatchObject({ name: 'ConnectionError', sent: true });
    expect(await ended({ 'content-length': '0' })).toMatchObject({ name: 'ResponseError' });
    expect(await ended({ 'transfer-encoding': 'chunked' })).toMatchObject({ name: 'ResponseError' });
  });

  it('is a ResponseError where the text is another one', async () => {
    for (const text of ['', ' ', '[{', '"{', '<html>{', 'ok', '{]', '{oops}', `${whole}{`, `${whole}"`, '{"a":1}}']) {
      expect(await of(text)).toMatchObject({ name: 'ResponseError', status: 200 });
    }
  });
});

describe('Retry-After', () => {
  it.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
    ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['after Thu, 01 Jan 1970 00:01:00 GMT', undefined],
    ['Thu, 01 Jan 1970 00:01:00 GMT or later', undefined],
    ['1e9', undefined],
    [undefined, undefined],
  ])('with %s requests a pause of %s ms', (value, ms) => {
    expect(retryAfterMs(value, undefined, 10_000)).toBe(ms);
  });

  it('as a date is compared with the clock of the server', () => {
    const date = 'Thu, 01 Jan 1970 00:00:50 GMT';
    expect(retryAfterMs('Thu, 01 Jan 1970 00:01:00 GMT', date, 0)).toBe(10_000);
    expect(httpDate('Thu, 99 Foo 1970 00:00:50 GMT')).toBeUndefined();
  });
});

describe('warnings', () => {
  it('are read from one header or several, with quotes in them', () => {
    expect(
      warningTexts(['299 - "unknown field \\"spec\\"", 299 - "b \\\\ c" "Thu, 01 Jan 1970 00:00:50 GMT",299 x "c"']),
    ).toEqual(['unknown field "spec"', 'b \\ c', 'c']);
    expect(warningTexts(['299 - "a"', '299 - "b"'])).toEqual(['a', 'b']);
    for (const text of ['', 'x', '299 - "a', '299 "a"']) expect(warningTexts([text])).toEqual([]);
    expect(warningTexts([`${'299 - "a", '.repeat(1_000)}299 - "a"`])).toHaveLength(100);
  });

  it('are passed to onWarning, whose errors do not fail the call', async () => {
    const warnings: string[] = [];
    const { client } = scriptedClient([json(201, { ...event('a') }, { warning: '299 - "unknown field \\"x\\""' })], {
      onWarning(text) {
        warnings.push(text);
        throw new Error('hook');
      },
    });
    await client.create(event('a'));
    expect(warnings).toEqual(['unknown field "x"']);
    // A rejection that nobody handles would end the process; Vitest fails for it.
    const onWarning = (() => Promise.reject(new Error('hook'))) as () => void;
    const other = scriptedClient([json(201, { ...event('a') }, { warning: '299 - "x"' })], { onWarning });
    expect(await other.client.create(event('a'))).toMatchObject({ reason: 'Tested' });
  });
});

describe('invalid arguments', () => {
  it('are refused with a TypeError', async () => {
    const { client } = scriptedClient([]);
    for (const name of ['', '.', '..', 'a/b', 'a%2fb', undefined as never]) {
      expect(await failureOf(client.get({ name }))).toMatchObject({ name: 'TypeError' });
    }
    for (const timeoutMs of [0, -1, NaN, Infinity]) {
      expect(await failureOf(client.get({ name: 'a' }, { timeoutMs }))).toMatchObject({ name: 'TypeError' });
    }
    for (const pageSize of [0, 1.5, -1]) expect(() => client.list({ pageSize })).toThrow(TypeError);
    for (const timeoutSeconds of [0.5, -1, 1e30, NaN, '1' as never]) {
      expect(() => client.watch({ timeoutSeconds })).toThrow(
        new TypeError('watch: timeoutSeconds must be a whole number of at least 0'),
      );
    }
    const half = '\ud800';
    for (const call of [
      () => client.get({ name: half }),
      () => client.get({ name: 'a', namespace: half }),
      () => client.get({ name: 'a' }, { resourceVersion: half }),
      () => client.create(event('a', { metadata: { namespace: half } })),
    ]) {
      expect(await failureOf(call())).toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(/^the \w+ must have no lone surrogates$/) as unknown,
      });
    }
    expect(() => client.list({ namespace: half })).toThrow(
      new TypeError('list: namespace must be a namespace, or null for all'),
    );
    expect(() => client.watch({ fieldSelector: half, labelSelector: `a=${half}` })).toThrow(
      new TypeError(
        'watch: fieldSelector must be a string without lone surrogates; labelSelector must be a string without lone surrogates',
      ),
    );
    const type = 'other' as 'merge';
    expect(await failureOf(client.patch({ name: 'a' }, { type, patch: {} }))).toMatchObject({ name: 'TypeError' });
    for (const options of [
      {},
      { transport: {} },
      { transport: null },
      { transport: () => undefined, group: 'a/b' },
      { transport: () => undefined, caller: { name: 'a' } },
      { transport: () => undefined, events: { group: 'a', as: () => () => undefined } },
      { events: { group: 'a', as: () => () => undefined }, group: 'b' },
    ]) {
      expect(() => createEventsClient(options as never)).toThrow(/^createEventsClient: /);
    }
    expect(() => createEventsClient({ transport: Promise.resolve({ handle: () => undefined }) as never })).toThrow(
      new TypeError('createEventsClient: transport must be a transport, not a promise of one: await it'),
    );
    expect(() => createEventsClient({ events: {} } as never)).toThrow(
      new TypeError('createEventsClient: events must be the events of createEvents'),
    );
    const bare = createEventsClient({ transport: () => undefined });
    expect((await failureOf(bare.get({ name: 'a' }))).message).toBe(
      'no namespace: set it on the event or as an option of createEventsClient',
    );
    expect(bare.group).toBe('events.k8s.io');
  });
});
