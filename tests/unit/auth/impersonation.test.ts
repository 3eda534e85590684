import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccess } from '../../../src/auth/access.js';
import { allowRules } from '../../../src/auth/allow-rules.js';
import type { Attributes, Authorize } from '../../../src/auth/contract.js';
import type { Impersonated } from '../../../src/auth/contract.js';
import { createImpersonation } from '../../../src/auth/impersonation.js';
import type { RequestHeaders } from '../../../src/http/request.js';
import type { Caller } from '../../../src/model/caller.js';

const ADMIN: Caller = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const LIST: Attributes = {
  verb: 'list',
  group: 'events.example.com',
  version: 'v1',
  resource: 'events',
  namespace: 'a',
};

const everything: Authorize = () => ({ allowed: true });

/** Allows these, each written as `VERB RESOURCE[/SUBRESOURCE][ NAME]` or `VERB PATH`. */
function allows(...rights: string[]): { authorize: Authorize; asked: string[]; attributes: Attributes[] } {
  const asked: string[] = [];
  const attributes: Attributes[] = [];
  const authorize: Authorize = (_, wanted) => {
    attributes.push(wanted);
    const { verb } = wanted;
    const text =
      'path' in wanted
        ? `${verb} ${wanted.path}`
        : [verb, [wanted.resource, wanted.subresource].filter(Boolean).join('/'), wanted.name]
            .filter(Boolean)
            .join(' ');
    asked.push(text);
    return { allowed: rights.includes(text) };
  };
  return { authorize, asked, attributes };
}

const ask = async (
  authorize: Authorize,
  headers: RequestHeaders,
  caller: Caller = ADMIN,
  attributes: Attributes = LIST,
): Promise<Impersonated> => createImpersonation(authorize)({ method: 'GET', url: '/', headers }, caller, attributes);

const callerOf = async (
  authorize: Authorize,
  headers: RequestHeaders,
  caller?: Caller,
): Promise<Caller | undefined> => {
  const result = await ask(authorize, headers, caller);
  return 'caller' in result ? result.caller : undefined;
};

const messageOf = (result: Impersonated): string => ('refused' in result ? (result.refused.message ?? '') : 'allowed');

describe('the impersonated user', () => {
  it('is the caller without the headers, and the authorizer is not called', () => {
    const { authorize, asked } = allows();
    const result = createImpersonation(authorize)({ method: 'GET', url: '/', headers: { accept: 'x' } }, ADMIN, LIST);
    expect(result).toEqual({ caller: ADMIN });
    expect(createImpersonation(authorize)({ method: 'GET', url: '/' }, ADMIN, LIST)).toEqual({ caller: ADMIN });
    expect(
      createImpersonation(authorize)({ method: 'GET', url: '/', headers: { 'impersonate-user': '' } }, ADMIN, LIST),
    ).toEqual({ caller: ADMIN });
    expect(asked).toEqual([]);
  });

  it('is taken from the headers, without any trace of the real caller', async () => {
    expect(
      await callerOf(everything, {
        'impersonate-user': 'jane',
        'impersonate-uid': '7',
        'impersonate-group': ['dev', 'ops'],
        'impersonate-extra-acme.com%2fproject': 'x',
        'impersonate-extra-scopes': ['a', 'b'],
      }),
    ).toEqual({
      name: 'jane',
      uid: '7',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'acme.com/project': ['x'], scopes: ['a', 'b'] },
    });
  });

  it('is read as UTF-8, which HTTP servers present as Latin-1, and as it is where it is something else', async () => {
    const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
    const sent = (as: (text: string) => string): RequestHeaders => ({
      'impersonate-user': as('jürgen'),
      'impersonate-uid': as('ü'),
      'impersonate-group': [as('日本'), 'ops'],
      'impersonate-extra-s': as('é'),
    });
    const read = { name: 'jürgen', uid: 'ü', groups: ['日本', 'ops', 'system:authenticated'], extra: { s: ['é'] } };
    expect(await callerOf(everything, sent(latin1))).toEqual(read);
    expect(
      await callerOf(
        everything,
        sent((text) => text),
      ),
    ).toEqual(read);
  });

  it('is read from repeated headers that were joined on the way', async () => {
    const joined = {
      'impersonate-user': 'Doe, Jane',
      'impersonate-group': 'dev, ops',
      'impersonate-extra-s': 'a, b,c',
    };
    expect(await callerOf(everything, joined)).toEqual({
      name: 'Doe, Jane',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { s: ['a', 'b,c'] },
    });
  });

  it('has extra keys that are plain data', async () => {
    const caller = await callerOf(everything, {
      'impersonate-user': 'jane',
      'impersonate-extra-__proto__': 'x',
      'impersonate-extra-constructor': 'y',
      'impersonate-extra-%zz': 'z',
    });
    expect(Object.entries(caller?.extra ?? {})).toEqual([
      ['__proto__', ['x']],
      ['constructor', ['y']],
      ['%zz', ['z']],
    ]);
  });

  it.each([
    [['dev'], ['dev', 'system:authenticated']],
    [['system:authenticated'], ['system:authenticated']],
    [['system:unauthenticated'], ['system:unauthenticated']],
  ])('has groups: %j become %j', async (groups, expected) => {
    const caller = await callerOf(everything, { 'impersonate-user': 'jane', 'impersonate-group': groups });
    expect(caller?.groups).toEqual(expected);
  });

  it('is unauthenticated if it is the anonymous user', async () => {
    expect(await callerOf(everything, { 'impersonate-user': 'system:anonymous' })).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
  });

  it('gets the groups of service accounts and nodes', async () => {
    const account = 'system:serviceaccount:shop:builder';
    expect((await callerOf(everything, { 'impersonate-user': account }))?.groups).toEqual([
      ...['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    ]);
    const given = { 'impersonate-user': account, 'impersonate-group': 'dev' };
    expect((await callerOf(everything, given))?.groups).toEqual(['dev', 'system:authenticated']);
    expect((await callerOf(everything, { 'impersonate-user': 'system:node:n1' }))?.groups).toEqual([
      ...['system:nodes', 'system:authenticated'],
    ]);
    const older = allows('impersonate users system:node:n1').authorize;
    expect((await callerOf(older, { 'impersonate-user': 'system:node:n1' }))?.groups).toEqual(['system:authenticated']);
  });

  it.each<[RequestHeaders, string]>([
    [{ 'impersonate-group': 'g' }, 'UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)'],
    [{ 'impersonate-group': 'a, "b"' }, 'UID:"", Groups:[]string{"a", "\\"b\\""}, Extra:map[string][]string(nil)'],
    [{ 'impersonate-group': '' }, 'UID:"", Groups:[]string{""}, Extra:map[string][]string(nil)'],
    [{ 'impersonate-uid': '7' }, 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [
      { 'impersonate-extra-b': 'x', 'impersonate-extra-a': ['y', 'z'], 'impersonate-user': '' },
      'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"y", "z"}, "b":[]string{"x"}}',
    ],
  ])('is a 400 without a name: %j', async (headers, printed) => {
    const result = await ask(everything, headers);
    expect(result).toMatchObject({ refused: { code: 400, reason: 'BadRequest' } });
    expect(messageOf(result)).toBe(
      `requested &user.DefaultInfo{Name:"", ${printed}} without impersonating a user name`,
    );
  });

  it.each<[RequestHeaders]>([
    [{ 'impersonate-group': Array.from({ length: 257 }, () => 'g').join(', ') }],
    [{ 'impersonate-group': 'g', 'impersonate-extra-a': Array.from({ length: 256 }, () => 'x') }],
    [{ 'impersonate-group': 'g, '.repeat(300_000) }],
  ])('is a 400 with more than 256 groups and extra values, and the authorizer is not called', async (headers) => {
    const { authorize, asked } = allows();
    const result = await ask(authorize, { 'impersonate-user': 'jane', ...headers });
    expect(result).toMatchObject({ refused: { code: 400, reason: 'BadRequest' } });
    expect(messageOf(result)).toBe('impersonation may not name more than 256 groups and extra values');
    expect(asked).toEqual([]);
  });
});

describe('the authorizer is called for', () => {
  it('the constrained mode first, then the older verb', async () => {
    const { authorize, asked, attributes } = allows('impersonate users jane', 'impersonate groups dev');
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'dev' };
    expect(await callerOf(authorize, headers)).toMatchObject({ name: 'jane' });
    expect(asked).toEqual(['impersonate-on:user-info:list events', 'impersonate users jane', 'impersonate groups dev']);
    expect(attributes[0]).toEqual({ ...LIST, verb: 'impersonate-on:user-info:list' });
    expect(attributes[1]).toEqual({ verb: 'impersonate', group: '', version: 'v1', resource: 'users', name: 'jane' });
  });

  it('every part of the impersonated user', async () => {
    const rights = [
      'impersonate-on:user-info:list events',
      'impersonate:user-info users jane',
      'impersonate:user-info uids 7',
      'impersonate:user-info groups dev',
      'impersonate:user-info userextras/acme.com/team x',
    ];
    const { authorize, asked, attributes } = allows(...rights);
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'dev',
      'impersonate-extra-acme.com%2fteam': 'x',
    };
    expect(await callerOf(authorize, headers)).toMatchObject({ name: 'jane' });
    expect(asked).toEqual(rights);
    expect(attributes.slice(1).map((one) => 'group' in one && one.group)).toEqual(
      Array(4).fill('authentication.k8s.io'),
    );
    for (const missing of rights) {
      const some = allows(...rights.filter((right) => right !== missing)).authorize;
      expect('refused' in (await ask(some, headers))).toBe(true);
    }
  });

  it('service accounts by namespace and name', async () => {
    const { authorize, attributes } = allows('impersonate serviceaccounts builder');
    await ask(authorize, { 'impersonate-user': 'system:serviceaccount:shop:builder' });
    expect(attributes).toEqual([
      { ...LIST, verb: 'impersonate-on:serviceaccount:list' },
      {
        verb: 'impersonate',
        group: '',
        version: 'v1',
        resource: 'serviceaccounts',
        namespace: 'shop',
        name: 'builder',
      },
    ]);
    const odd = allows();
    await ask(odd.authorize, { 'impersonate-user': 'system:serviceaccount:shop:a:b' });
    expect(odd.asked).toEqual([
      'impersonate-on:user-info:list events',
      'impersonate users system:serviceaccount:shop:a:b',
    ]);
  });

  it('nodes by their name, and without a name for the account that runs on one', async () => {
    const requestor: Caller = {
      name: 'system:serviceaccount:kube-system:agent',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': ['n1'], other: ['x'] },
    };
    const seen: (Caller | string)[] = [];
    const authorize: Authorize = (caller, { verb, ...wanted }) => {
      seen.push(caller, `${verb} ${'name' in wanted ? wanted.name : ''}`);
      return { allowed: false };
    };
    await ask(authorize, { 'impersonate-user': 'system:node:n1' }, requestor);
    const extra = {
      'authentication.kubernetes.io/associated-node-keys': ['authentication.kubernetes.io/node-name', 'other'],
    };
    expect(seen).toEqual([
      ...[{ ...requestor, extra }, 'impersonate-on:associated-node:list '],
      ...[requestor, 'impersonate-on:arbitrary-node:list '],
      ...[requestor, 'impersonate system:node:n1'],
    ]);
    const allowed = allows('impersonate-on:associated-node:list events', 'impersonate:associated-node nodes *');
    expect(await callerOf(allowed.authorize, { 'impersonate-user': 'system:node:n1' }, requestor)).toMatchObject({
      name: 'system:node:n1',
    });
    expect(await callerOf(allowed.authorize, { 'impersonate-user': 'system:node:n2' }, requestor)).toBeUndefined();
    expect(
      await callerOf(allowed.authorize, { 'impersonate-user': 'system:node:n1' }, { ...requestor, name: 'jane' }),
    ).toBeUndefined();
  });

  it('a node by its name if the caller does not run on it', async () => {
    const rights = ['impersonate-on:arbitrary-node:list events', 'impersonate:arbitrary-node nodes n1'];
    const { authorize, asked, attributes } = allows(...rights);
    const headers = { 'impersonate-user': 'system:node:n1' };
    expect(await callerOf(authorize, headers)).toEqual({
      name: 'system:node:n1',
      groups: ['system:nodes', 'system:authenticated'],
    });
    expect(asked).toEqual(rights);
    expect(attributes[1]).toEqual({
      verb: 'impersonate:arbitrary-node',
      group: 'authentication.k8s.io',
      version: 'v1',
      resource: 'nodes',
      name: 'n1',
    });
    expect(await callerOf(authorize, { 'impersonate-user': 'system:node:n2' })).toBeUndefined();
  });

  it.each([
    ['system:node:', 253, 'arbitrary-node'],
    ['system:node:', 254, 'user-info'],
    ['system:serviceaccount:shop:', 253, 'serviceaccount'],
    ['system:serviceaccount:shop:', 254, 'user-info'],
  ])('a name of %s and %i letters in the mode %s', async (prefix, length, mode) => {
    const { authorize, asked } = allows();
    await ask(authorize, { 'impersonate-user': prefix + 'n'.repeat(length) });
    expect(asked[0]).toBe(`impersonate-on:${mode}:list events`);
  });

  it.each([
    [63, 'serviceaccount'],
    [64, 'user-info'],
  ])('a service account in a namespace of %i letters in the mode %s', async (length, mode) => {
    const { authorize, asked } = allows();
    await ask(authorize, { 'impersonate-user': `system:serviceaccount:${'n'.repeat(length)}:a` });
    expect(asked[0]).toBe(`impersonate-on:${mode}:list events`);
  });

  it.each<[RequestHeaders]>([
    [{ 'impersonate-uid': '7' }],
    [{ 'impersonate-group': 'dev' }],
    [{ 'impersonate-extra-acme.com%2fa': 'x' }],
  ])('nodes and service accounts by the older verb only if more than a name is given: %j', async (more) => {
    for (const name of ['system:node:n1', 'system:serviceaccount:shop:a']) {
      const { authorize, asked } = allows();
      await ask(authorize, { 'impersonate-user': name, ...more });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toMatch(/^impersonate (users|serviceaccounts) /);
    }
  });

  it('an arbitrary node if the credential of the caller names several nodes', async () => {
    const nodes = { 'authentication.kubernetes.io/node-name': ['n1', 'n2'] };
    const requestor: Caller = { name: 'system:serviceaccount:kube-system:agent', groups: [], extra: nodes };
    const { authorize, asked } = allows();
    await ask(authorize, { 'impersonate-user': 'system:node:n1' }, requestor);
    expect(asked[0]).toBe('impersonate-on:arbitrary-node:list events');
  });

  it('paths by their method', async () => {
    const { authorize, asked } = allows();
    await ask(authorize, { 'impersonate-user': 'jane' }, ADMIN, { verb: 'get', path: '/version' });
    expect(asked[0]).toBe('impersonate-on:user-info:get /version');
  });

  it('all groups at once first, if there are many', async () => {
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': ['a', 'b', 'c', 'd'] };
    const common = ['impersonate-on:user-info:list events', 'impersonate:user-info users jane'];
    const { authorize, asked } = allows(...common, 'impersonate:user-info groups *');
    expect(await callerOf(authorize, headers)).toMatchObject({ groups: ['a', 'b', 'c', 'd', 'system:authenticated'] });
    expect(asked).toEqual([...common, 'impersonate:user-info groups *']);
    const older = allows('impersonate users jane');
    await ask(older.authorize, headers);
    expect(older.asked.slice(-2)).toEqual(['impersonate users jane', 'impersonate groups a']);
  });

  it('all extras at once first, if there are many', async () => {
    const { authorize, attributes } = allows(
      'impersonate-on:user-info:list events',
      'impersonate:user-info users jane',
      'impersonate:user-info userextras/* *',
    );
    const headers = { 'impersonate-user': 'jane', 'impersonate-extra-a.b%2fc': ['1', '2', '3', '4'] };
    expect(await callerOf(authorize, headers)).toMatchObject({ extra: { 'a.b/c': ['1', '2', '3', '4'] } });
    expect(attributes.slice(2)).toEqual([
      {
        verb: 'impersonate:user-info',
        group: 'authentication.k8s.io',
        version: 'v1',
        resource: 'userextras',
        subresource: '*',
        name: '*',
      },
    ]);
  });

  it('system:masters and unusual extras by the older verb only', async () => {
    const constrained: Authorize = (_, { verb }) => ({ allowed: verb !== 'impersonate' });
    const refused = async (more: RequestHeaders): Promise<string> =>
      messageOf(await ask(constrained, { 'impersonate-user': 'jane', ...more }));
    expect(await refused({})).toBe('allowed');
    expect(await refused({ 'impersonate-group': 'system:masters' })).toBe(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "admin" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
    expect(await refused({ 'impersonate-group': '' })).toContain('impersonating the empty string group is not allowed');
    expect(await refused({ 'impersonate-extra-': 'x' })).toBe(
      'userextras.authentication.k8s.io is forbidden: User "admin" cannot impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating the empty string key in extra is not allowed',
    );
    expect(await refused({ 'impersonate-extra-scopes': 'x' })).toContain('must be a domain-prefixed path');
    expect(await refused({ 'impersonate-extra-a.b%2fC': 'x' })).toContain('non-lowercase key');
    expect(await refused({ 'impersonate-extra-a.b%2fc': '' })).toContain('empty string value');
    expect(
      await callerOf(everything, { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }),
    ).toBeDefined();
  });
});

describe('a refused impersonation', () => {
  it('has the reason of the first mode that fits', async () => {
    const result = await ask(
      () => ({ allowed: false, reason: 'no' }),
      { 'impersonate-user': 'root' },
      {
        name: 'viewer',
        groups: [],
      },
    );
    expect(result).toEqual({
      refused: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'events.events.example.com is forbidden: User "viewer" cannot impersonate-on:user-info:list resource "events" in API group "events.example.com" in the namespace "a": no',
        reason: 'Forbidden',
        details: { group: 'events.example.com', kind: 'events' },
        code: 403,
      },
    });
  });

  it('fails with the error that the authorizer throws', async () => {
    const broken: Authorize = () => {
      throw new Error('broken');
    };
    await expect(ask(broken, { 'impersonate-user': 'jane' })).rejects.toThrow('broken');
  });

  it('never changes the caller, whatever the headers are', async () => {
    const names = fc.constantFrom('jane', 'system:node:n1', 'system:serviceaccount:a:b', 'system:anonymous', ', ', 'é');
    const text = fc.oneof(names, fc.string());
    const headers = fc.record(
      {
        'impersonate-user': text,
        'impersonate-uid': text,
        'impersonate-group': fc.oneof(text, fc.array(text)),
        'impersonate-extra-a': fc.oneof(text, fc.array(text)),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(headers, async (sent) => {
        const result = await ask(() => ({ allowed: false }), sent as RequestHeaders, { name: 'me', groups: [] });
        if ('caller' in result) expect(result.caller.name).toBe('me');
      }),
    );
  });
});

describe('createAccess with impersonation', () => {
  const request = { method: 'GET', url: '/', headers: { 'impersonate-user': 'jane' } };
  const hooks = { authenticate: () => ADMIN, authorize: allowRules([{ groups: ['system:masters'], verbs: ['*'] }]) };

  it('refuses the headers unless impersonation is enabled', async () => {
    expect(createAccess(hooks).impersonate(request, ADMIN, LIST)).toMatchObject({
      refused: { code: 403, reason: 'Forbidden' },
    });
    expect(
      await createAccess({ ...hooks, impersonation: createImpersonation }).impersonate(request, ADMIN, LIST),
    ).toMatchObject({
      caller: { name: 'jane' },
    });
  });
});
