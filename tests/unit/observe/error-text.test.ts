import { connect } from 'node:net';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { errorText, isError } from '../../../src/observe/error-text.js';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

it('an error of another realm is an error', () => {
  expect([new Error('a'), runInNewContext('new Error("a")'), { message: 'a' }].map(isError)).toEqual([
    true,
    true,
    false,
  ]);
});

describe('the text of an error', () => {
  it('explains why a fetch was refused', async () => {
    const error: unknown = await fetch('http://127.0.0.1:1/').catch((reason: unknown) => reason);
    // Ports that fetch blocks have a cause without a code; the text has it nevertheless.
    expect(errorText(error)).toMatch(/^fetch failed: ./);
    const refused = await new Promise<Error>((resolve) => connect(1, '127.0.0.1').on('error', resolve));
    expect(errorText(new TypeError('fetch failed', { cause: refused }))).toBe(
      'fetch failed: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it.each<[string, unknown, string]>([
    ['a cause', new Error('outer', { cause: new Error('inner') }), 'outer: inner'],
    ['causes of causes', new Error('a', { cause: new Error('b', { cause: 'c' }) }), 'a: b: c'],
    ['a cause that the message repeats', new Error('a: b', { cause: new Error('b') }), 'a: b'],
    [
      'a cause that the message repeats, and that has a code',
      new Error('store: starting up', { cause: new Error('starting up', { cause: coded('starting up', '57P03') }) }),
      'store: starting up (57P03)',
    ],
    [
      'a cause in the middle of the message, and that has a code',
      new Error('no driver (no package x)', { cause: coded('no package x', 'ERR_NOT_FOUND') }),
      'no driver (no package x) (ERR_NOT_FOUND)',
    ],
    ['a code, and a cause with the same message', new Error('a (E1)', { cause: coded('a', 'E1') }), 'a (E1)'],
    [
      'the code of a StoreError, whose message says the same',
      coded('the store is away', 'unavailable'),
      'the store is away',
    ],
    ['no error but a number', 5, '5'],
    ['an object without a message', Object.create(null), 'failed with something unreadable'],
    ['nothing', undefined, 'failed without a reason'],
    ['null', null, 'failed without a reason'],
    ['a code', coded('password authentication failed', '28P01'), 'password authentication failed (28P01)'],
    ['a code in the message', coded('connect ECONNREFUSED ::1:1', 'ECONNREFUSED'), 'connect ECONNREFUSED ::1:1'],
    ['a code of the cause', new Error('a', { cause: coded('b', 'EPIPE') }), 'a: b (EPIPE)'],
    ['several errors', new AggregateError([new Error('a'), new Error('b')], 'all failed'), 'all failed: a; b'],
    [
      'several errors without a message, as Node reports a host with two addresses',
      Object.assign(new AggregateError([coded('connect ECONNREFUSED ::1:1', 'ECONNREFUSED')], ''), {
        code: 'ECONNREFUSED',
      }),
      'connect ECONNREFUSED ::1:1',
    ],
    ['an error without a text among several', new AggregateError(['a', ''], 'm'), 'm: a'],
    ['a name that is no text', { message: '', name: 5 }, 'failed without a reason'],
    ['many errors', new AggregateError([1, 2, 3, 4, 5].map(String), 'm'), 'm: 1; 2; 3; 4'],
    [
      'a line break at the end, as messages of OpenSSL have',
      new Error('a', { cause: coded('wrong version number:350:\n', 'ERR_SSL_WRONG_VERSION_NUMBER') }),
      'a: wrong version number:350: (ERR_SSL_WRONG_VERSION_NUMBER)',
    ],
    ['no message', new TypeError(''), 'TypeError'],
  ])('includes what was thrown with %s', (_name, error, text) => {
    expect(errorText(error)).toBe(text);
  });

  it('ends for an error that is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(errorText(error)).toBe('loop');
  });
});

describe('whether a value is an error', () => {
  it('can be determined for any value, even for a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable(new Error('a'), {});
    expect(isError(proxy)).toBe(true);
    revoke();
    expect(isError(proxy)).toBe(false);
    expect(isError({ message: 'a' })).toBe(false);
  });
});
