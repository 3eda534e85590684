import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { abac, parsePolicyFile } from '../../../../src/cli/serve/abac.js';

type Caller = Parameters<ReturnType<typeof abac>>[0];
type Attributes = Parameters<ReturnType<typeof abac>>[1];

const user = (name: string, ...groups: string[]): Caller => ({ name, groups: [...groups, 'system:authenticated'] });
const anonymous: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const events = (verb: string, namespace?: string): Attributes => ({
  verb,
  group: 'events.example.com',
  version: 'v1',
  resource: 'events',
  namespace,
});
const path = (verb: string, where: string): Attributes => ({ verb, path: where });

const may = (text: string, caller: Caller, attributes: Attributes): unknown =>
  (abac(parsePolicyFile(text, 'p'))(caller, attributes) as { allowed: boolean }).allowed;
const spec = (fields: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec: fields });

it('the policy file of docs/standalone.md allows kubectl, and the events of one namespace', () => {
  const page = readFileSync(new URL('../../../../docs/standalone.md', import.meta.url), 'utf8');
  const policies = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
  const alice = user('alice', 'operators');
  for (const where of ['/api', '/apis', '/openapi/v3']) expect(may(policies, alice, path('get', where))).toBe(true);
  for (const where of ['/metrics', '/readyz']) expect(may(policies, alice, path('get', where))).toBe(false);
  expect(may(policies, alice, events('deletecollection', 'shop'))).toBe(true);
  expect(may(policies, user('jane'), events('list', 'shop'))).toBe(false);
  for (const namespace of [undefined, 'default']) expect(may(policies, alice, events('list', namespace))).toBe(false);
});

describe('the policy file of the conformance corpus', () => {
  const corpus = readFileSync(new URL('../../../conformance/corpus/policy.jsonl', import.meta.url), 'utf8');

  it('allows everyone to GET the health endpoints, and nothing below them', () => {
    for (const caller of [anonymous, user('jane')]) {
      expect(may(corpus, caller, path('get', '/livez'))).toBe(true);
      expect(may(corpus, caller, path('head', '/livez'))).toBe(false);
      expect(may(corpus, caller, path('get', '/livez/ping'))).toBe(false);
      expect(may(corpus, caller, path('get', '/apis'))).toBe(false);
    }
  });

  it('allows the viewer to read events and jane nothing', () => {
    for (const verb of ['get', 'list', 'watch']) expect(may(corpus, user('viewer'), events(verb))).toBe(true);
    for (const verb of ['create', 'update', 'delete', ''])
      expect(may(corpus, user('viewer'), events(verb, 'a'))).toBe(false);
    expect(may(corpus, user('jane'), events('get', 'a'))).toBe(false);
  });

  it('allows system:masters everything', () => {
    expect(may(corpus, user('admin', 'system:masters'), events('deletecollection', 'a'))).toBe(true);
    expect(may('', user('admin', 'system:masters'), path('post', '/x'))).toBe(true);
  });
});

describe('abac', () => {
  it('requires user and group when a policy names both', () => {
    const text = spec({ user: 'jane', group: 'dev', apiGroup: '*', resource: '*', namespace: '*' });
    expect(may(text, user('jane', 'dev'), events('create', 'a'))).toBe(true);
    expect(may(text, user('jane'), events('create', 'a'))).toBe(false);
    expect(may(text, user('bob', 'dev'), events('create', 'a'))).toBe(false);
  });

  it('matches every authenticated caller by a star, never anonymous ones', () => {
    const text = spec({ user: '*', nonResourcePath: '*' });
    expect(may(text, user('jane'), path('post', '/x'))).toBe(true);
    expect(may(text, anonymous, path('get', '/x'))).toBe(false);
  });

  it('matches no caller by a policy without user and group, and no request by one without a target', () => {
    expect(
      may(
        spec({ nonResourcePath: '*', resource: '*', namespace: '*', apiGroup: '*' }),
        user('jane'),
        path('get', '/x'),
      ),
    ).toBe(false);
    expect(may(spec({ user: 'jane' }), user('jane'), events('get', 'a'))).toBe(false);
    expect(may(spec({ user: 'jane' }), user('jane'), path('get', '/x'))).toBe(false);
  });

  it('matches namespace, resource and group exactly or by a star', () => {
    const text = spec({ user: 'jane', apiGroup: 'events.example.com', resource: 'events', namespace: 'a' });
    expect(may(text, user('jane'), events('create', 'a'))).toBe(true);
    expect(may(text, user('jane'), events('create', 'b'))).toBe(false);
    expect(may(text, user('jane'), events('list'))).toBe(false);
    expect(may(text, user('jane'), { ...events('get', 'a'), group: '' })).toBe(false);
    expect(may(text, user('jane'), path('get', ''))).toBe(false);
  });

  it('matches any ending of a path by a final star', () => {
    const text = spec({ user: 'jane', nonResourcePath: '/readyz/*' });
    expect(may(text, user('jane'), path('get', '/readyz/ping'))).toBe(true);
    expect(may(text, user('jane'), path('get', '/readyz'))).toBe(false);
    expect(may(text, user('jane'), events('get', 'a'))).toBe(false);
  });
});

describe('lines of the older form', () => {
  it('match everything that they do not restrict', () => {
    expect(may('{"user":"jane"}', user('jane'), events('create', 'a'))).toBe(true);
    expect(may('{"user":"jane"}', user('jane'), path('post', '/x'))).toBe(true);
    expect(may('{"group":"dev"}', user('jane', 'dev'), events('create', 'a'))).toBe(true);
    for (const line of ['{"user":"jane"}', '{"group":"dev"}']) {
      expect(may(line, user('bob'), events('get', 'a')), line).toBe(false);
    }
    expect(may('{"user":"jane","namespace":"a"}', user('jane'), path('get', '/x'))).toBe(false);
    expect(may('{"user":"jane","namespace":"a"}', user('jane'), events('create', 'b'))).toBe(false);
    expect(may('{"readonly":true}', user('bob'), events('list'))).toBe(true);
    expect(may('{"readonly":true}', user('bob'), events('create', 'a'))).toBe(false);
    expect(may('{}', anonymous, path('get', '/x'))).toBe(false);
  });
});

describe('parsePolicyFile', () => {
  it('skips empty lines and comments', () => {
    expect(parsePolicyFile('\n# a comment\n  \r\n', 'p')).toEqual([]);
  });

  it.each([
    ['{', 'is not a JSON object'],
    ['[]', 'the line must be an object'],
    ['{"kind":"Policy","spec":{}}', 'must be of apiVersion abac.authorization.kubernetes.io/v1beta1, kind Policy'],
    ['{"apiVersion":"abac.authorization.kubernetes.io/v1","kind":"Policy","spec":{}}', 'must be of apiVersion'],
    ['{"user":1}', 'user must be a string'],
    ['{"readonly":"true"}', 'readonly must be true or false'],
    ['{"usr":"jane"}', 'unknown field "usr"'],
    ['{"__proto__":{"user":"*"}}', 'unknown field "__proto__"'],
    [spec({ namspace: 'a' }), 'unknown field "namspace"'],
    ['{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy"}', 'spec must be an object'],
  ])('names the line of %s', (line, what) => {
    expect(() => parsePolicyFile(`# first\n${line}`, 'p.jsonl')).toThrow(`policy file p.jsonl, line 2: ${what}`);
  });
});
