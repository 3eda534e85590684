import { describe, expect, it } from 'vitest';
import { allowRules } from '../../../src/auth/allow-rules.js';
import { allowAuthenticated, allowEverybody, anyOf } from '../../../src/auth/authorizers.js';
import type { Attributes, Authorize } from '../../../src/auth/contract.js';

const jane = { name: 'jane', groups: ['dev', 'system:authenticated'] };
const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const events = { verb: 'list', group: 'events.example.com', version: 'v1', resource: 'events', namespace: 'default' };
const livez = { verb: 'get', path: '/livez' };

const may = async (authorize: Authorize, caller: typeof jane, attributes: Attributes): Promise<boolean> =>
  (await authorize(caller, attributes)).allowed;

describe('allowAuthenticated and allowEverybody', () => {
  it('deny or allow anonymous callers', async () => {
    expect(await may(allowAuthenticated(), jane, events)).toBe(true);
    expect(await may(allowAuthenticated(), anonymous, livez)).toBe(false);
    expect(await may(allowEverybody(), anonymous, events)).toBe(true);
  });
});

describe('allowRules', () => {
  it('requires user or group, verb, namespace and resource to match', async () => {
    const authorize = allowRules([
      { users: ['jane'], verbs: ['get', 'list'], namespaces: ['default'], resources: ['events'] },
    ]);
    expect(await may(authorize, jane, events)).toBe(true);
    expect(await may(authorize, { ...jane, name: 'bob' }, events)).toBe(false);
    expect(await may(authorize, jane, { ...events, verb: 'create' })).toBe(false);
    expect(await may(authorize, jane, { ...events, namespace: 'other' })).toBe(false);
    expect(await may(authorize, jane, { ...events, namespace: undefined })).toBe(false);
    expect(await may(authorize, jane, { ...events, subresource: 'status' })).toBe(false);
    expect(await may(authorize, jane, livez)).toBe(false);
  });

  it('applies to all namespaces and resources if a rule names none', async () => {
    const authorize = allowRules([{ groups: ['dev'], verbs: ['*'] }]);
    expect(await may(authorize, jane, { ...events, namespace: undefined })).toBe(true);
    expect(await may(authorize, jane, { ...events, subresource: 'status', verb: 'patch' })).toBe(true);
    expect(await may(authorize, jane, livez)).toBe(false);
    expect(await may(authorize, anonymous, events)).toBe(false);
  });

  it('allows paths, with a final star for any ending', async () => {
    const authorize = allowRules([{ users: ['*'], verbs: ['get'], paths: ['/livez', '/readyz/*'] }]);
    expect(await may(authorize, anonymous, livez)).toBe(true);
    expect(await may(authorize, anonymous, { verb: 'head', path: '/livez' })).toBe(false);
    expect(await may(authorize, anonymous, { verb: 'get', path: '/livez/ping' })).toBe(false);
    expect(await may(authorize, anonymous, { verb: 'get', path: '/readyz/ping' })).toBe(true);
    expect(await may(authorize, anonymous, { verb: 'get', path: '/readyz' })).toBe(false);
    expect(await may(authorize, anonymous, { ...events, verb: 'get' })).toBe(false);
  });

  it('copies the rules, so that later changes have no effect', async () => {
    const verbs = ['get'];
    const authorize = allowRules([{ users: ['jane'], verbs }]);
    verbs.push('list');
    expect(await may(authorize, jane, events)).toBe(false);
  });

  it('lists every fault of every rule', () => {
    const make = () => allowRules([{ verbs: [] }, { users: [''], verb: ['get'] }, null] as never);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(
      'allowRules: rules[0].verbs must be a list of one or more verbs; rules[0] needs users, groups or both; ' +
        'rules[1].users must be a list of non-empty strings; rules[1].verbs must be a list of non-empty strings; ' +
        'there is no option "rules[1].verb" (did you mean "rules[1].verbs"?); rules[2] must be an object',
    );
    expect(() => allowRules({} as never)).toThrow(new TypeError('allowRules: rules must be a list'));
  });

  it('refuses a verb that no request has', () => {
    const make =
      (...verbs: readonly string[]) =>
      () =>
        allowRules([{ users: ['jane'], verbs }]);
    expect(make('get', 'read', 'GET')).toThrow(
      /there is no verb "read"; use get, .*; rules\[0\]\.verbs: there is no verb "GET"/,
    );
    expect(make('*', 'deletecollection', 'head', 'impersonate', 'impersonate-on:user-info:list')).not.toThrow();
  });

  it('refuses a path that no request has', () => {
    const make =
      (...paths: readonly string[]) =>
      () =>
        allowRules([{ users: ['jane'], verbs: ['get'], paths }]);
    expect(make('/api', 'metrics', 'apis/*')).toThrow(
      'allowRules: rules[0].paths: "metrics" does not begin with "/"; rules[0].paths: "apis/*" does not begin with "/"',
    );
    expect(make('*', '/*', '/readyz', '/apis/*')).not.toThrow();
  });
});

describe('anyOf', () => {
  const no: Authorize = () => ({ allowed: false, reason: 'no' });
  const later: Authorize = async () => ({ allowed: false, reason: 'later' });

  it('allows what one of its authorizers allows', async () => {
    expect(anyOf(no, allowEverybody())(jane, events)).toEqual({ allowed: true });
    expect(await anyOf(later, no, allowEverybody())(jane, events)).toEqual({ allowed: true });
  });

  it('joins the reasons of all when none allows', async () => {
    expect(await anyOf(no, later)(jane, events)).toEqual({ allowed: false, reason: 'no, later' });
    expect(anyOf(allowAuthenticated())(anonymous, events)).toEqual({ allowed: false });
  });

  it('passes on a result that is not a decision, so that it is denied and reported', async () => {
    for (const odd of [undefined, null, 1, {}, { allowed: 'yes' }]) {
      for (const hook of [() => odd as never, async () => odd as never]) {
        expect(await anyOf(no, hook, no)(jane, events)).toBe(odd);
        expect(await anyOf(hook, allowEverybody())(jane, events)).toEqual({ allowed: true });
      }
    }
  });

  it('refuses an empty list', () => {
    expect(() => anyOf()).toThrow(TypeError);
    expect(() => anyOf(no, undefined as never)).toThrow(/authorizer 2/);
  });
});
