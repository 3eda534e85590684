import { describe, expect, it } from 'vitest';
import { createAccess, type AccessOptions } from '../../../src/auth/access.js';
import { badCredential, type Authenticate } from '../../../src/auth/contract.js';
import { createImpersonation } from '../../../src/auth/impersonation.js';
import { staticTokens } from '../../../src/auth/static-tokens.js';
import type { Clock } from '../../../src/clock/clock.js';
import { fakeClock } from '../../../src/testing/fake-clock.js';

const request = { method: 'GET', url: '/livez' };
const authorize = () => ({ allowed: true });
const ask = (authenticate: unknown) =>
  createAccess({ authenticate: authenticate as Authenticate, authorize }).authenticate(request);

describe('createAccess', () => {
  it('decides synchronously if the hooks do', () => {
    expect(ask(() => ({ name: 'jane', groups: ['system:authenticated'] }))).toEqual({
      name: 'jane',
      groups: ['system:authenticated'],
    });
  });

  it('adds system:authenticated to callers of any hook, but never to anonymous ones', async () => {
    expect(ask(() => ({ name: 'jane', groups: ['dev'] }))).toMatchObject({ groups: ['dev', 'system:authenticated'] });
    expect(await ask(async () => ({ name: 'jane', groups: [] }))).toMatchObject({ groups: ['system:authenticated'] });
    expect(ask(() => ({ name: 'system:anonymous', groups: [] }))).toMatchObject({ groups: [] });
    expect(ask(() => ({ name: 'x', groups: ['system:unauthenticated'] }))).toMatchObject({
      groups: ['system:unauthenticated'],
    });
  });

  it('keeps the identity of a caller whose members are getters of its class', () => {
    class User {
      get name(): string {
        return 'jane';
      }
      get uid(): string {
        return '7';
      }
      get groups(): readonly string[] {
        return ['dev'];
      }
      get extra(): Record<string, string[]> {
        return { scope: ['a'] };
      }
    }
    expect(ask(() => new User())).toEqual({
      name: 'jane',
      uid: '7',
      groups: ['dev', 'system:authenticated'],
      extra: { scope: ['a'] },
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['gives a number', () => 7],
    ['says true', () => true],
    ['gives a class, which has a name', () => class Jane {}],
    ['gives a caller without a name', () => ({ groups: [] })],
    ['gives an empty name', () => ({ name: '', groups: [] })],
    ['says null', () => null],
    ['gives groups that are not in a list', () => ({ name: 'jane', groups: 'admins' })],
  ])('accepts no caller when the hook %s', async (_, hook) => {
    expect(await ask(hook)).toBeUndefined();
  });

  it('reads a caller without groups as one that is in no group', () => {
    expect(ask(() => ({ name: 'jane' }))).toEqual({ name: 'jane', groups: ['system:authenticated'] });
  });

  it('passes on what the authorizer throws', () => {
    const access = createAccess({
      authenticate: () => undefined,
      authorize: () => {
        throw new Error('policy server away');
      },
    });
    expect(() => access.authorize({ name: 'a', groups: [] }, { verb: 'get', path: '/' })).toThrow('policy server away');
  });
});

/** Hooks that may return anything, and what is reported of them. */
function observed(hooks: { readonly [K in keyof AccessOptions]?: unknown }, clock: Clock = fakeClock()) {
  const seen: { hook: string; error: unknown }[] = [];
  const access = createAccess({
    authenticate: () => undefined,
    authorize,
    ...(hooks as Partial<AccessOptions>),
    report: (hook, error) => void seen.push({ hook, error }),
    clock,
  });
  const jane = { name: 'jane', groups: [] };
  const path = { verb: 'get', path: '/' };
  return {
    seen,
    who: (more: object = {}) => access.authenticate({ ...request, ...more }),
    may: () => access.authorize(jane, path),
    as: (user: string) => access.impersonate({ ...request, headers: { 'impersonate-user': user } }, jane, path),
  };
}

describe('the result of authorize', () => {
  const odd: [unknown, string][] = [
    [1, 'a value of type number'],
    ['yes', 'a value of type string'],
    [true, 'true'],
    [undefined, 'undefined'],
    [null, 'null'],
    [[], 'allowed: undefined'],
    [{}, 'allowed: undefined'],
    [{ allowed: 1 }, 'allowed: a value of type number'],
    [{ allowed: 'true' }, 'allowed: a value of type string'],
    [{ allowed: {} }, 'allowed: a value of type object'],
    [{ allowed: null }, 'allowed: null'],
    [() => ({ allowed: true }), 'a value of type function'],
    [{ allowed: Promise.resolve(true) }, 'allowed: a value of type object'],
  ];

  it.each(odd)('denies unless allowed is exactly true: %j', async (result, shown) => {
    for (const hook of [() => result, async () => result]) {
      const { may, seen } = observed({ authorize: hook });
      expect(await may()).toEqual({ allowed: false });
      expect(seen).toMatchObject([
        { hook: 'authorize', error: { message: `expected { allowed: true } or { allowed: false }, not ${shown}` } },
      ]);
    }
  });

  it('is checked as strictly for a right to impersonate', async () => {
    const { as, seen } = observed({
      authorize: () => ({ allowed: 'yes' }),
      impersonation: createImpersonation,
    } as never);
    expect(await as('root')).toMatchObject({ refused: { code: 403 } });
    expect(seen).not.toEqual([]);
  });

  it('is not reported when it denies, and only a text counts as a reason', async () => {
    const { may, seen } = observed({ authorize: () => ({ allowed: false, reason: 'no' }) });
    expect(await may()).toEqual({ allowed: false, reason: 'no' });
    expect(observed({ authorize: () => ({ allowed: false, reason: { secret: 1 } }) }).may()).toEqual({
      allowed: false,
    });
    expect(seen).toEqual([]);
  });
});

describe('a failure of authenticate', () => {
  it('is not reported when the client has disconnected meanwhile', async () => {
    const { who, seen } = observed({ authenticate: () => Promise.reject(new Error('aborted')) });
    expect(await who({ aborted: true })).toBeUndefined();
    expect(await who({ signal: AbortSignal.abort() })).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])('is reported when the hook %s', async (_, hook) => {
    const { who, seen } = observed({ authenticate: hook });
    expect(await who()).toBeUndefined();
    expect(seen).toMatchObject([{ hook: 'authenticate', error: { message: 'secret' } }]);
  });

  it('is reported when the hook throws a value that cannot be read', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    const { who, seen } = observed({
      authenticate: () => {
        throw proxy as Error;
      },
    });
    expect(await who()).toBeUndefined();
    expect(seen).toHaveLength(1);
  });

  it('is not reported when it is a bad credential', async () => {
    for (const hook of [
      () => {
        throw badCredential('expired');
      },
      () => Promise.reject(badCredential()),
      () => staticTokens({ good: { name: 'jane' } })({ ...request, headers: { authorization: 'Bearer bad' } }),
    ]) {
      const { who, seen } = observed({ authenticate: hook });
      expect(await who()).toBeUndefined();
      expect(seen).toEqual([]);
    }
  });

  it.each([
    [7],
    [true],
    ['jane'],
    [{ name: '' }],
    [{ groups: [] }],
    [{ name: 'jane', groups: 'admins' }],
    [() => ({ name: 'jane' })],
  ])('is reported when the result is not a caller: %j', async (result) => {
    const { who, seen } = observed({ authenticate: () => result });
    expect(await who()).toBeUndefined();
    expect(seen).toMatchObject([{ hook: 'authenticate', error: expect.any(TypeError) as Error }]);
  });

  it.each([[undefined], [null]])('is not reported for the result %j, which means no caller', async (result) => {
    const { who, seen } = observed({ authenticate: () => result });
    expect(await who()).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it('is reported at most ten times a minute, because clients can cause it', () => {
    const clock = fakeClock();
    const { who, seen } = observed(
      {
        authenticate: () => {
          throw new Error('no keys');
        },
      },
      clock,
    );
    for (let times = 0; times < 1000; times += 1) void who();
    expect(seen).toHaveLength(10);
    clock.advance(59_999);
    void who();
    expect(seen).toHaveLength(10);
    clock.advance(1);
    for (let times = 0; times < 1000; times += 1) void who();
    expect(seen).toHaveLength(20);
  });
});
