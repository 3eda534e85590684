import { describe, expect, it } from 'vitest';
import { callerFrom } from '../../../src/auth/caller-from.js';

interface Source {
  readonly user?: string;
}

const jane = (source: Source) => (source.user === undefined ? undefined : { name: source.user, groups: [] });
const requestWith = (framework: unknown) => ({ method: 'GET', url: '/readyz', framework });

describe('callerFrom', () => {
  it('passes on the data of the framework about the request, and the request', () => {
    const given: unknown[] = [];
    const authenticate = callerFrom((source: Source, request) => {
      given.push(source, request);
      return jane(source);
    });
    const request = requestWith({ user: 'jane' });
    expect(authenticate(request)).toEqual({ name: 'jane', groups: [] });
    expect(given).toEqual([request.framework, request]);
    expect(authenticate(requestWith({}))).toBeUndefined();
  });

  it.each([undefined, null])(
    'finds no caller, and does not call the hook, where the framework gave %j',
    (framework) => {
      expect(callerFrom(() => expect.unreachable())(requestWith(framework))).toBeUndefined();
    },
  );

  it('passes on values that are false', () => {
    const authenticate = callerFrom((source) => ({ name: `user ${String(source)}`, groups: [] }));
    expect([0, '', false].map((framework) => authenticate(requestWith(framework)))).toMatchObject([
      { name: 'user 0' },
      { name: 'user ' },
      { name: 'user false' },
    ]);
  });

  it.each([undefined, null, {}, 'req.user'])('refuses %j in place of a hook', (hook) => {
    expect(() => callerFrom(hook as never)).toThrow(
      new TypeError('callerFrom: the argument must be a function from the request of the framework to a caller'),
    );
  });
});
