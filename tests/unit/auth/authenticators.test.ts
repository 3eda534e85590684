import { describe, expect, it } from 'vitest';
import { allowAnonymous, clientCertificate, firstAuthenticator } from '../../../src/auth/authenticators.js';
import { bearerToken, bearerWarning } from '../../../src/auth/bearer-token.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';

const request = (authorization?: string) => ({
  method: 'GET',
  url: '/',
  ...(authorization !== undefined && { headers: { authorization } }),
});

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['Bearer abc x y', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer  abc', undefined],
    ['Bearer ', undefined],
    ['Bearer', undefined],
    ['Basic abc', undefined],
    ['', undefined],
    ['abc', undefined],
  ])('reads the header %j as %j', (header, token) => {
    expect(bearerToken(request(header))).toBe(token);
  });

  it('is undefined without a header, and reads the first of several', () => {
    expect(bearerToken(request())).toBeUndefined();
    expect(bearerToken({ method: 'GET', url: '/', headers: { authorization: ['Bearer a', 'Bearer b'] } })).toBe('a');
  });

  it('warns of a token behind two spaces only', () => {
    expect(bearerWarning(request('Bearer  abc'))).toBe(
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    );
    for (const header of ['Bearer abc', 'Bearer abc ', 'Bearer ', 'Bearer', 'Basic  abc']) {
      expect(bearerWarning(request(header))).toBeUndefined();
    }
  });
});

describe('staticTokens', () => {
  const authenticate = staticTokens({ one: { name: 'jane', uid: '3', groups: ['dev'] }, two: { name: 'bob' } });

  it('accepts its tokens and adds system:authenticated', () => {
    expect(authenticate(request('Bearer one'))).toEqual({
      name: 'jane',
      uid: '3',
      groups: ['dev', 'system:authenticated'],
    });
    expect(authenticate(request('Bearer two'))).toEqual({ name: 'bob', groups: ['system:authenticated'] });
  });

  it('refuses an unknown token and leaves a request without one to other authenticators', () => {
    expect(() => authenticate(request('Bearer three'))).toThrow();
    expect(authenticate(request())).toBeUndefined();
    expect(authenticate(request('Basic one'))).toBeUndefined();
    expect(authenticate(request('Bearer  three'))).toBeUndefined();
  });

  it('accepts a Map, in which any text may be a token', () => {
    const byMap = staticTokens(new Map([['__proto__', { name: 'p' }]]));
    expect(byMap(request('Bearer __proto__'))).toMatchObject({ name: 'p' });
    expect(() => byMap(request('Bearer constructor'))).toThrow();
  });

  it('returns callers that cannot be changed', () => {
    const groups = ['dev'];
    const own = staticTokens({ t: { name: 'jane', groups } });
    groups.push('system:masters');
    const caller = own(request('Bearer t'));
    expect(caller).toMatchObject({ groups: ['dev', 'system:authenticated'] });
    expect(Object.isFrozen(caller)).toBe(true);
  });

  it('lists every fault at once and shows no token', () => {
    const make = () => staticTokens({ 'sec ret': { name: '' }, '': { name: 'x', groups: [''] } });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(
      /token 1 must be printable.*token 1: caller\.name must.*token 2 must be printable.*token 2: caller\.groups must/,
    );
    expect(make).not.toThrow(/sec ret/);
    expect(() => staticTokens(null as never)).toThrow(TypeError);
  });
});

describe('tokens made from missing values', () => {
  const one = (token: unknown) => () => staticTokens(new Map([[token as string, { name: 'admin' }]]));

  it.each(['undefined', 'null', 'NaN', 'true', 'false', '[object Object]', '[object Promise]'])(
    'are refused with their position: %j',
    (token) => {
      const make = () => staticTokens({ good: { name: 'jane' }, [token]: { name: 'admin' } });
      expect(make).toThrow(TypeError);
      expect(make).toThrow(`staticTokens: token 2 is the text "${token}"`);
    },
  );

  it('are refused with advice on unset variables', () => {
    const missing = (process.env as Record<string, string | undefined>)['KUBE_VITALS_NOT_SET'];
    expect(() => staticTokens({ [missing as never]: { name: 'admin' } })).toThrow(
      'which anybody would guess; read the token before and stop when it is missing, for example an environment variable that is not set',
    );
    expect(one('')).toThrow('token 1 must be printable ASCII without spaces, and is empty; read the token before');
  });

  it.each([[undefined], [null], [7], [{}], [Symbol('x')]])('are refused as keys of a Map: %j', (token) => {
    expect(one(token)).toThrow(/^staticTokens: token 1 must be a string, not /);
  });

  it.each(['a b', 'a\tb', 'a\n', 'caf\u00e9', '\u0000', 'a\u007f'])(
    'are refused if no header can carry them: %j',
    (token) => {
      expect(one(token)).toThrow('token 1 must be printable ASCII without spaces');
    },
  );

  it('may be short and have any printable character', () => {
    for (const token of ['s3cret', 'x', 'p@ss,w0rd!', 'abc==', 'undefined1']) expect(one(token)).not.toThrow();
  });
});

describe('clientCertificate', () => {
  it('reads user and groups from the subject', () => {
    const peerCertificate = { commonName: 'jane', organizations: ['dev'] };
    expect(clientCertificate()({ ...request(), peerCertificate })).toEqual({
      name: 'jane',
      groups: ['dev', 'system:authenticated'],
    });
  });

  it('finds no caller without a certificate or without a common name', () => {
    expect(clientCertificate()(request())).toBeUndefined();
    expect(
      clientCertificate()({ ...request(), peerCertificate: { commonName: '', organizations: [] } }),
    ).toBeUndefined();
  });
});

describe('firstAuthenticator', () => {
  const tokens = staticTokens({ one: { name: 'jane' } });

  it('returns the first caller, synchronously if possible', () => {
    const authenticate = firstAuthenticator(clientCertificate(), tokens, allowAnonymous());
    expect(authenticate(request('Bearer one'))).toMatchObject({ name: 'jane' });
    expect(authenticate(request())).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  });

  it('never falls back to anonymous after a bad credential', () => {
    expect(() => firstAuthenticator(tokens, allowAnonymous())(request('Bearer wrong'))).toThrow();
  });

  it('continues after a promise of undefined, and ends with one that rejects', async () => {
    const nobody = firstAuthenticator(
      async () => undefined,
      tokens,
      async () => ({ name: 'last', groups: [] }),
    );
    expect(await nobody(request())).toMatchObject({ name: 'last' });
    expect(await nobody(request('Bearer one'))).toMatchObject({ name: 'jane' });
    const bad = firstAuthenticator(async () => Promise.reject(new Error('bad')), allowAnonymous());
    await expect(bad(request())).rejects.toThrow('bad');
  });

  it('treats null like undefined, as no credential', () => {
    const nothing = () => null as never;
    expect(firstAuthenticator(nothing, allowAnonymous())(request())).toMatchObject({ name: 'system:anonymous' });
  });

  it('refuses allowAnonymous before another authenticator, which would never be called', () => {
    expect(() => firstAuthenticator(allowAnonymous(), tokens)).toThrow(
      'firstAuthenticator: allowAnonymous() must be the last: it accepts every request',
    );
  });

  it('is undefined when no authenticator finds a caller', () => {
    expect(firstAuthenticator(tokens)(request())).toBeUndefined();
  });

  it('refuses an empty list and values that are not functions', () => {
    expect(() => firstAuthenticator()).toThrow(/at least one/);
    expect(() => firstAuthenticator(tokens, 'x' as never, 1 as never)).toThrow(/authenticator 2 .*; authenticator 3/);
  });
});
