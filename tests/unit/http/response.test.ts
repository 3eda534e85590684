import { expect, test } from 'vitest';
import { header, headerValues } from '../../../src/http/headers.js';
import { checkResponse, textResponse } from '../../../src/http/response.js';
import { notFoundText } from '../../../src/responses/fixed-responses.js';

test("a text response has the format of Go's http.Error", () => {
  expect(textResponse(503, 'busy', { 'retry-after': '1' })).toEqual({
    status: 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'retry-after': '1',
    },
    body: 'busy\n',
  });
  expect(notFoundText()).toMatchObject({ status: 404, body: '404 page not found\n' });
});

test('extra headers of one response do not affect another', () => {
  textResponse(503, 'busy', { 'retry-after': '1' });
  expect(notFoundText().headers).not.toHaveProperty('retry-after');
});

test('headers can be read as the first value or as all values', () => {
  const request = { method: 'GET', url: '/', headers: { accept: 'a, b', 'impersonate-group': ['x', 'y'], none: [] } };
  expect(header(request, 'accept')).toBe('a, b');
  expect(header(request, 'impersonate-group')).toBe('x');
  expect(header(request, 'none')).toBeUndefined();
  expect(header(request, 'absent')).toBeUndefined();
  expect(header({}, 'accept')).toBeUndefined();
  expect(headerValues(request, 'accept')).toEqual(['a, b']);
  expect(headerValues(request, 'impersonate-group')).toEqual(['x', 'y']);
  expect(headerValues(request, 'absent')).toEqual([]);
});

test('a response that cannot be sent is a TypeError that names every fault', () => {
  expect(() => checkResponse({ status: 99, headers: null, body: {} } as never)).toThrow(
    new TypeError(
      'a handler returned a response that cannot be sent: status must be an integer from 200 to 599; headers must be a plain object, such as Object.fromEntries(headers); body must be a string, a Uint8Array, an async iterable or null',
    ),
  );
  expect(() => checkResponse({ status: 200, headers: {}, body: null })).not.toThrow();
  expect(() => checkResponse({ status: 200, headers: {}, body: Buffer.from('x') })).not.toThrow();
});

test.each([null, undefined, 'ok', 200, true, Symbol('ok')])(
  'what is no response is a TypeError that says what to return (%#)',
  (value) => {
    expect(() => checkResponse(value as never)).toThrow(
      new TypeError('a handler must return { status, headers, body }, or undefined for a path that is not its own'),
    );
  },
);

test.each([
  [199, false],
  [200, true],
  [200.5, false],
  ['200', false],
  [599, true],
  [600, false],
])('a status is an integer from 200 to 599: %o', (status, isValid) => {
  const check = expect(() => checkResponse({ status, headers: {}, body: null } as never));
  if (isValid) check.not.toThrow();
  else check.toThrow('a handler returned a response that cannot be sent: status must be an integer from 200 to 599');
});

test.each(['x-a: 1', 1, undefined])('headers that are no object are refused (%#)', (headers) => {
  expect(() => checkResponse({ status: 200, headers, body: null } as never)).toThrow('headers must be a plain object');
});

test.each([new Headers({ 'x-a': '1' }), new Map([['x-a', '1']]), [['x-a', '1']]])(
  'headers whose names would be lost are refused (%#)',
  (headers) => {
    expect(() => checkResponse({ status: 200, headers, body: null } as never)).toThrow(
      'headers must be a plain object, such as Object.fromEntries(headers)',
    );
  },
);
