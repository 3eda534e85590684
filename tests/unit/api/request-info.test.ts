import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accessAttributes, isWatchRoot, readRequestInfo } from '../../../src/api/request-info.js';

const G = '/apis/g.example.com/v1';
const none = { namespace: '', name: '', subresource: '' };

describe('readRequestInfo', () => {
  it.each([
    '/',
    '//',
    '',
    '/version',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis///',
    '/apis/g.example.com',
    '/apis/g.example.com/v1',
    '/apis/g.example.com/v1//',
    '/apisg/v1/things',
    '/foo/bar/baz/qux',
  ])('takes %j for a path without a resource', (path) => {
    const info = readRequestInfo('HEAD', path, true);
    expect(info).toMatchObject({
      isResourceRequest: false,
      path,
      verb: 'head',
      resource: '',
      parts: [],
    });
    expect(accessAttributes(info, 'x')).toEqual({ verb: 'head', path });
  });

  it.each([
    ['/things', { ...none, parts: ['things'] }],
    ['/things/', { ...none, parts: ['things'] }],
    ['/things/x', { ...none, name: 'x', parts: ['things', 'x'] }],
    ['/things/x/status', { ...none, name: 'x', subresource: 'status', parts: ['things', 'x', 'status'] }],
    ['/things/x/proxy/a/b', { ...none, name: 'x', subresource: 'proxy', parts: ['things', 'x', 'proxy', 'a', 'b'] }],
    ['/namespaces/ns/things', { ...none, namespace: 'ns', parts: ['things'] }],
    ['/namespaces/ns/things/x//', { ...none, namespace: 'ns', name: 'x', parts: ['things', 'x'] }],
    ['/namespaces//things', { ...none, parts: ['things'] }],
    ['/namespaces/watch/things', { ...none, namespace: 'watch', parts: ['things'] }],
    ['/things//x', { ...none, subresource: 'x', parts: ['things', '', 'x'] }],
  ])('reads the request %s', (rest, expected) => {
    expect(readRequestInfo('PUT', G + rest, false)).toEqual({
      isResourceRequest: true,
      path: G + rest,
      verb: 'update',
      apiGroup: 'g.example.com',
      apiVersion: 'v1',
      resource: 'things',
      selectsByName: false,
      ...expected,
    });
  });

  it.each([
    ['/namespaces', { ...none, parts: ['namespaces'] }],
    ['/namespaces/ns/', { ...none, namespace: 'ns', name: 'ns', parts: ['namespaces', 'ns'] }],
    ['/namespaces/ns/status', { namespace: 'ns', name: 'ns', subresource: 'status' }],
    ['/namespaces/ns/finalize', { namespace: 'ns', name: 'ns', subresource: 'finalize' }],
  ])('takes %s for the namespace itself', (rest, expected) => {
    const info = readRequestInfo('GET', `/api/v1${rest}`, false);
    expect(info).toMatchObject({
      apiGroup: '',
      apiVersion: 'v1',
      resource: 'namespaces',
      ...expected,
    });
  });

  it('takes a resource that begins like a part of the namespace for a resource', () => {
    expect(readRequestInfo('GET', `${G}/namespaces/ns/statuses`, false)).toMatchObject({
      resource: 'statuses',
      namespace: 'ns',
      name: '',
    });
  });

  it.each([
    ['GET', '/things', false, 'list'],
    ['GET', '/things', true, 'watch'],
    ['HEAD', '/things', true, 'watch'],
    ['GET', '/things/x', true, 'get'],
    ['HEAD', '/things/x', false, 'get'],
    ['POST', '/things', false, 'create'],
    ['PUT', '/things/x', false, 'update'],
    ['PATCH', '/things/x', false, 'patch'],
    ['DELETE', '/things/x', false, 'delete'],
    ['DELETE', '/things', false, 'deletecollection'],
    ['OPTIONS', '/things', false, ''],
    ['GET', '/watch/things', false, 'watch'],
    ['POST', '/watch/namespaces/ns/things/x', false, 'watch'],
    ['GET', '/proxy/things/x', false, 'proxy'],
    ['GET', '/watch', false, 'list'],
    ['GET', '/watch/', false, 'list'],
  ])('reads %s %s (watch: %s) as the verb %j', (method, rest, wantsWatch, verb) => {
    expect(readRequestInfo(method, G + rest, wantsWatch).verb).toBe(verb);
  });

  it('reads subresources below the old paths of watches, and none below those of proxies', () => {
    expect(readRequestInfo('GET', `${G}/watch/things/x/status`, false).subresource).toBe('status');
    expect(readRequestInfo('GET', `${G}/proxy/things/x/status`, false)).toMatchObject({ name: 'x', subresource: '' });
  });

  it('agrees with a model that splits the path into segments, for any path', () => {
    const segment = fc.oneof(
      fc.constantFrom('apis', 'api', 'v1', 'watch', 'proxy', 'namespaces', 'status', ''),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 9 }), (segments) => {
        const path = segments.map((each) => `/${each}`).join('');
        expect(readRequestInfo('GET', path, false)).toMatchObject(bySegments(path));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The rules of kube-apiserver for the segments of a path. Here `watch` and `proxy` need a segment after them. */
function bySegments(path: string): object {
  let parts = path.replace(/^\/+|\/+$/g, '').split('/');
  const prefix = parts.shift();
  if (prefix !== 'api' && prefix !== 'apis') return { isResourceRequest: false };
  if (parts.length < (prefix === 'api' ? 2 : 3)) return { isResourceRequest: false };
  const apiGroup = prefix === 'api' ? '' : parts.shift();
  const apiVersion = parts.shift();
  const special = ['watch', 'proxy'].includes(parts[0] ?? '') && parts.length > 1 ? parts.shift() : undefined;
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] ?? '';
    if (parts.length > 2 && !['status', 'finalize'].includes(parts[2] ?? '')) parts = parts.slice(2);
  }
  const [resource = '', name = '', third = ''] = parts;
  return {
    isResourceRequest: true,
    apiGroup,
    apiVersion,
    verb: special ?? (name === '' ? 'list' : 'get'),
    namespace,
    resource,
    name,
    subresource: special === 'proxy' ? '' : third,
    parts,
  };
}

describe('accessAttributes', () => {
  it('names what the request has, and the object of a selector where the path names none', () => {
    const list = readRequestInfo('GET', `${G}/namespaces/ns/things`, false);
    const base = { verb: 'list', group: 'g.example.com', version: 'v1', resource: 'things', namespace: 'ns' };
    expect(accessAttributes(list, '')).toEqual(base);
    expect(accessAttributes(list, 'x')).toEqual({ ...base, name: 'x' });
    expect(accessAttributes(readRequestInfo('GET', `${G}/things/y/status`, false), 'x')).toEqual({
      verb: 'get',
      group: 'g.example.com',
      version: 'v1',
      resource: 'things',
      name: 'y',
      subresource: 'status',
    });
  });
});

describe('isWatchRoot', () => {
  it.each([
    [`${G}/watch/`, true],
    ['/api/v1/watch/', true],
    [`${G}/watch`, false],
    [`${G}/watch/events`, false],
    [`${G}/watch//`, false],
  ])('is known by the path %s: %s', (path, expected) => {
    expect(isWatchRoot(path)).toBe(expected);
  });
});
