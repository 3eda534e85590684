import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/http/url.js';
import { requestAttributes } from '../../../src/server/other-paths.js';

const read = (method: string, path: string, query = '') => requestAttributes(method, path, parseQuery(query));
const base = { group: 'g.example.com', version: 'v1', resource: 'things' };

describe('requestAttributes', () => {
  it.each([
    '/',
    '/version',
    '/apis',
    '/apis/',
    '/apis/g.example.com',
    '/apis/g.example.com/v1',
    '/apis/g/v1/',
    '/api/v1',
    '/foo/bar/baz/qux',
  ])('treat %s as a path', (path) => {
    expect(read('HEAD', path)).toEqual({ verb: 'head', path });
  });

  it.each([
    ['GET', '/apis/g.example.com/v1/things', '', { verb: 'list' }],
    ['GET', '/apis/g.example.com/v1/things/', '', { verb: 'list' }],
    ['HEAD', '/apis/g.example.com/v1/things/x', '', { verb: 'get', name: 'x' }],
    ['GET', '/apis/g.example.com/v1/namespaces/ns/things', '', { verb: 'list', namespace: 'ns' }],
    ['GET', '/apis/g.example.com/v1/namespaces/ns/things/x', '', { verb: 'get', namespace: 'ns', name: 'x' }],
    [
      'GET',
      '/apis/g.example.com/v1/namespaces/ns/things/x/status',
      '',
      { verb: 'get', namespace: 'ns', name: 'x', subresource: 'status' },
    ],
    ['GET', '/apis/g.example.com/v1/things', 'watch', { verb: 'watch' }],
    ['GET', '/apis/g.example.com/v1/things', 'watch=1', { verb: 'watch' }],
    ['GET', '/apis/g.example.com/v1/things', 'watch=false', { verb: 'list' }],
    ['GET', '/apis/g.example.com/v1/things', 'watch=0', { verb: 'list' }],
    ['GET', '/apis/g.example.com/v1/things', 'fieldSelector=metadata.name%3Dx', { verb: 'list', name: 'x' }],
    ['GET', '/apis/g.example.com/v1/things', 'fieldSelector=metadata.name%3D..', { verb: 'list' }],
    ['GET', '/apis/g.example.com/v1/watch/things', 'fieldSelector=metadata.name%3Dx', { verb: 'watch' }],
    ['GET', '/apis/g.example.com/v1/watch/things/x', '', { verb: 'watch', name: 'x' }],
    ['GET', '/apis/g.example.com/v1/watch/namespaces/ns/things', '', { verb: 'watch', namespace: 'ns' }],
    ['POST', '/apis/g.example.com/v1/things', '', { verb: 'create' }],
    ['PUT', '/apis/g.example.com/v1/things/x', '', { verb: 'update', name: 'x' }],
    ['PATCH', '/apis/g.example.com/v1/things/x', '', { verb: 'patch', name: 'x' }],
    ['DELETE', '/apis/g.example.com/v1/things/x', '', { verb: 'delete', name: 'x' }],
    ['DELETE', '/apis/g.example.com/v1/things', '', { verb: 'deletecollection' }],
    ['OPTIONS', '/apis/g.example.com/v1/things', '', { verb: '' }],
  ])('are read from %s %s?%s', (method, path, query, expected) => {
    expect(read(method, path, query)).toEqual({ ...base, ...expected });
  });

  it('include the core group and namespaces themselves', () => {
    expect(read('GET', '/api/v1/pods')).toEqual({ verb: 'list', group: '', version: 'v1', resource: 'pods' });
    expect(read('GET', '/api/v1/namespaces')).toMatchObject({ verb: 'list', resource: 'namespaces' });
    expect(read('GET', '/api/v1/namespaces/ns')).toMatchObject({
      verb: 'get',
      resource: 'namespaces',
      name: 'ns',
      namespace: 'ns',
    });
    expect(read('PUT', '/api/v1/namespaces/ns/status')).toMatchObject({
      resource: 'namespaces',
      name: 'ns',
      subresource: 'status',
    });
  });

  it('are made for any request', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom('apis', 'api', 'v1', 'watch', 'namespaces', ''), fc.string())),
        (parts) => {
          expect(read('GET', `/${parts.join('/')}`).verb).toBeTypeOf('string');
        },
      ),
    );
  });
});
