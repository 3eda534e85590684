import { describe, expect, it } from 'vitest';
import { allowRules, type AllowRule } from '../../../src/auth/allow-rules.js';
import type { Attributes, Decision } from '../../../src/auth/contract.js';
import { staticTokens, type StaticTokens } from '../../../src/auth/static-tokens.js';
import type { Caller } from '../../../src/model/caller.js';

const LIST: Attributes = { verb: 'list', group: 'g', version: 'v1', resource: 'events', namespace: 'shop' };
const jane: Caller = { name: 'jane', groups: ['readers', 'system:authenticated'] };

const allows = async (rules: readonly AllowRule[], attributes: Attributes = LIST, caller = jane): Promise<boolean> =>
  ((await allowRules(rules)(caller, attributes)) as Decision).allowed;

describe('allowRules', () => {
  it('allows what one rule of several allows', async () => {
    const other: AllowRule = { users: ['other'], verbs: ['get'] };
    const meant: AllowRule = { users: ['jane'], verbs: ['list'] };
    expect(await allows([other, meant])).toBe(true);
    expect(await allows([meant, other])).toBe(true);
    expect(await allows([other])).toBe(false);
    expect(await allows([])).toBe(false);
  });

  it('requires the caller and the request to match the same rule', async () => {
    const rules = [
      { users: ['jane'], verbs: ['get'] },
      { users: ['other'], verbs: ['list'] },
    ];
    expect(await allows(rules)).toBe(false);
  });

  it('identifies a caller by name or by any group', async () => {
    expect(await allows([{ users: ['jane'], groups: ['none'], verbs: ['*'] }])).toBe(true);
    expect(await allows([{ users: ['none'], groups: ['readers'], verbs: ['*'] }])).toBe(true);
    expect(await allows([{ users: ['*'], verbs: ['*'] }])).toBe(true);
    expect(await allows([{ users: ['readers'], groups: ['jane'], verbs: ['*'] }])).toBe(false);
  });

  it('applies to all namespaces by default, and otherwise to the listed ones, never to requests over all', async () => {
    const all: Attributes = { verb: 'list', group: 'g', version: 'v1', resource: 'events' };
    const rule = { users: ['jane'], verbs: ['list'] };
    expect(await allows([rule], all)).toBe(true);
    expect(await allows([{ ...rule, namespaces: ['shop'] }])).toBe(true);
    expect(await allows([{ ...rule, namespaces: ['bank'] }])).toBe(false);
    expect(await allows([{ ...rule, namespaces: ['shop'] }], all)).toBe(false);
    expect(await allows([{ ...rule, namespaces: ['*'] }], all)).toBe(true);
  });

  it('applies to all resources by default, but to none if it has paths', async () => {
    const rule = { users: ['jane'], verbs: ['*'] };
    expect(await allows([{ ...rule, resources: ['events'] }])).toBe(true);
    expect(await allows([{ ...rule, resources: ['events/status'] }])).toBe(false);
    expect(await allows([{ ...rule, resources: ['events/status'] }], { ...LIST, subresource: 'status' })).toBe(true);
    expect(await allows([{ ...rule, resources: ['events'] }], { ...LIST, subresource: 'status' })).toBe(false);
    expect(await allows([{ ...rule, paths: ['*'] }])).toBe(false);
    expect(await allows([{ ...rule, paths: ['*'], resources: ['*'] }])).toBe(true);
  });

  it('matches a path exactly, or by its beginning if the pattern ends in a star', async () => {
    const rule = (...paths: string[]): AllowRule[] => [{ users: ['jane'], verbs: ['get'], paths }];
    const path = { verb: 'get', path: '/readyz/ping' };
    expect(await allows(rule('/readyz'), path)).toBe(false);
    expect(await allows(rule('/livez', '/readyz/*'), path)).toBe(true);
    expect(await allows(rule('/readyz/ping'), path)).toBe(true);
    expect(await allows(rule('/ready*ping'), path)).toBe(false);
    expect(await allows([{ users: ['jane'], verbs: ['get'] }], path)).toBe(false);
    expect(await allows(rule('/readyz/ping'), { ...path, verb: 'head' })).toBe(false);
  });
});

describe('staticTokens', () => {
  const faults = (tokens: unknown): string => {
    try {
      staticTokens(tokens as StaticTokens);
    } catch (error) {
      return error instanceof TypeError ? error.message : `no TypeError: ${String(error)}`;
    }
    return 'accepted';
  };

  it('refuses a caller whose name is not a text', () => {
    for (const caller of [undefined, null]) {
      expect(faults({ secret: caller })).toBe('staticTokens: token 1: caller must be an object');
    }
    for (const caller of [{}, { name: '' }, { name: 5 }]) {
      expect(faults({ secret: caller })).toBe('staticTokens: token 1: caller.name must be a non-empty string');
    }
  });

  it('lists the faults of all callers by position, and never a token', () => {
    expect(faults({ secret: { name: 'a', uid: 5 }, other: { name: 'b', groups: [''] } })).toBe(
      'staticTokens: token 1: caller.uid must be a string; token 2: caller.groups must be a list of non-empty strings',
    );
    expect(faults({ secret: { name: 'a', group: 'b' } })).toBe(
      'staticTokens: token 1: there is no option "caller.group" (did you mean "caller.groups"?)',
    );
  });

  it.each([
    ['a b', 'token 1 must be printable ASCII without spaces, since the header can contain no other'],
    ['é', 'token 1 must be printable ASCII without spaces, since the header can contain no other'],
    ['a[object Object]', 'token 1 must be printable ASCII without spaces, since the header can contain no other'],
    ['[object Object]b', 'token 1 must be printable ASCII without spaces, since the header can contain no other'],
    [
      '[object Object]',
      'token 1 is the text "[object Object]": an object was converted to a string; pass the token itself',
    ],
  ])('refuses the token %j', (token, fault) => {
    expect(faults({ [token]: { name: 'a' } })).toBe(`staticTokens: ${fault}`);
  });

  it('refuses a token that is not a text, and names its type', () => {
    const read =
      'read the token before and stop when it is missing, for example an environment variable that is not set';
    const fault = (token: unknown): string => faults(new Map([[token, { name: 'a' }]]));
    expect(fault(5)).toBe(`staticTokens: token 1 must be a string, not a value of type number; ${read}`);
    expect(fault([])).toBe(`staticTokens: token 1 must be a string, not a value of type array; ${read}`);
    for (const accident of ['undefined', 'null', 'NaN', 'true', 'false']) {
      expect(fault(accident)).toBe(
        `staticTokens: token 1 is the text "${accident}", which anybody would guess; ${read}`,
      );
    }
  });

  it('adds the group system:authenticated, once', async () => {
    const caller = (groups?: readonly string[]): unknown =>
      staticTokens({ secret: { name: 'a', ...(groups && { groups }) } })({
        method: 'GET',
        url: '/',
        headers: { authorization: 'Bearer secret' },
      });
    expect(await caller()).toEqual({ name: 'a', groups: ['system:authenticated'] });
    expect(await caller(['b'])).toEqual({ name: 'a', groups: ['b', 'system:authenticated'] });
    expect(await caller(['system:authenticated', 'b'])).toEqual({ name: 'a', groups: ['system:authenticated', 'b'] });
  });
});
