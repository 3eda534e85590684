import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../src/auth/access.js';
import type { Authenticate } from '../../../src/auth/contract.js';

const request = { method: 'GET', url: '/livez' };
const authorize = () => ({ allowed: true });
const ask = (authenticate: unknown) =>
  createAccess({ authenticate: authenticate as Authenticate, authorize }).authenticate(request);

describe('createAccess', () => {
  it('answers at once where the hooks do', () => {
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
    ['gives a caller without a name', () => ({ groups: [] })],
    ['gives an empty name', () => ({ name: '', groups: [] })],
    ['says null', () => null],
  ])('takes nobody in when the hook %s', async (_, hook) => {
    expect(await ask(hook)).toBeUndefined();
  });

  it('reads a caller without groups as one in no group of its own', () => {
    expect(ask(() => ({ name: 'jane' }))).toEqual({ name: 'jane', groups: ['system:authenticated'] });
  });

  it('lets through what the authorizer throws', () => {
    const access = createAccess({
      authenticate: () => undefined,
      authorize: () => {
        throw new Error('policy server away');
      },
    });
    expect(() => access.authorize({ name: 'a', groups: [] }, { verb: 'get', path: '/' })).toThrow('policy server away');
  });
});
