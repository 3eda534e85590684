import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { errorText, isError } from '../../../src/observe/error-text.js';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

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
