import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forbiddenStatus, refusedResponse } from '../../../src/auth/refusal.js';
import { unauthorizedResponse } from '../../../src/responses/fixed-responses.js';

const jane = { name: 'jane', groups: [] };
const group = 'events.example.com';
const list = { verb: 'list', group, version: 'v1', resource: 'events', namespace: 'default' };

describe('unauthorizedResponse', () => {
  it('is the Status of Kubernetes, without WWW-Authenticate', () => {
    expect(unauthorizedResponse()).toEqual({
      status: 401,
      headers: { 'cache-control': 'no-cache, private', 'content-type': 'application/json' },
      body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n',
    });
  });
});

const forbiddenMessage = (...given: Parameters<typeof forbiddenStatus>): string | undefined =>
  forbiddenStatus(...given).message;

describe('the message of a 403', () => {
  it('names the user, verb, resource, group and namespace', () => {
    expect(forbiddenMessage(jane, list)).toBe(
      'events.events.example.com is forbidden: User "jane" cannot list resource "events" in API group "events.example.com" in the namespace "default"',
    );
  });

  it('names the object if there is one', () => {
    expect(forbiddenMessage(jane, { ...list, verb: 'get', name: 'x' })).toBe(
      'events.events.example.com "x" is forbidden: User "jane" cannot get resource "events" in API group "events.example.com" in the namespace "default"',
    );
  });

  it('quotes the name as Go does', () => {
    const message = forbiddenMessage(jane, { ...list, verb: 'get', name: 'a"\u001b' });
    expect(message).toContain(String.raw`events.events.example.com "a\"\x1b" is forbidden: `);
  });

  it('contains “at the cluster scope” without a namespace, and shows a subresource', () => {
    expect(forbiddenMessage(jane, { ...list, namespace: undefined, subresource: 'status' })).toBe(
      'events.events.example.com is forbidden: User "jane" cannot list resource "events/status" in API group "events.example.com" at the cluster scope',
    );
  });

  it('uses the plain resource name in the core group', () => {
    expect(forbiddenMessage(jane, { ...list, group: '' })).toBe(
      'events is forbidden: User "jane" cannot list resource "events" in API group "" in the namespace "default"',
    );
  });

  it('leaves a gap for a request without a verb', () => {
    expect(forbiddenMessage(jane, { ...list, verb: '' })).toContain('User "jane" cannot  resource "events"');
  });

  it('names the path of a request for no resource', () => {
    expect(forbiddenMessage(jane, { verb: 'get', path: '/readyz/etcd' })).toBe(
      'forbidden: User "jane" cannot get path "/readyz/etcd"',
    );
  });

  it("ends with the authorizer's reason", () => {
    expect(forbiddenMessage(jane, { verb: 'get', path: '/' }, 'not on Sundays')).toBe(
      'forbidden: User "jane" cannot get path "/": not on Sundays',
    );
  });

  it('escapes HTML in text from the client', () => {
    expect(forbiddenMessage({ ...jane, name: '<b>&' }, { verb: 'get', path: '/a<b>&c' })).toBe(
      'forbidden: User "&lt;b&gt;&amp;" cannot get path "/a&lt;b&gt;&amp;c"',
    );
  });

  it('quotes text as Go does', () => {
    expect(forbiddenMessage({ ...jane, name: 'a"\\\n\x00\u200b\u{e0001}ü' }, { verb: 'get', path: '/' })).toBe(
      String.raw`forbidden: User "a\"\\\n\x00\u200b\U000e0001ü" cannot get path "/"`,
    );
  });

  it('never contains a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, path) => {
        const message = forbiddenMessage({ name, groups: [] }, { verb: 'get', path });
        expect(message).not.toMatch(/[\p{Cc}<>]/u);
      }),
    );
  });
});

describe('a 403', () => {
  it('has the header nosniff and details of the resource', () => {
    const response = refusedResponse(forbiddenStatus(jane, { ...list, verb: 'get', name: 'x' }));
    expect(response.status).toBe(403);
    expect(response.headers).toEqual({
      'cache-control': 'no-cache, private',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    });
    expect(Object.keys(JSON.parse(String(response.body)))).toEqual([
      'kind',
      'apiVersion',
      'metadata',
      'status',
      'message',
      'reason',
      'details',
      'code',
    ]);
    expect(JSON.parse(String(response.body))).toMatchObject({
      reason: 'Forbidden',
      details: { name: 'x', group, kind: 'events' },
      code: 403,
    });
  });

  it('has empty details for a path, without empty fields', () => {
    const details = (attributes: Parameters<typeof forbiddenStatus>[1]): unknown =>
      forbiddenStatus(jane, attributes).details;
    expect(details({ verb: 'get', path: '/x' })).toEqual({});
    expect(details({ ...list, group: '' })).toEqual({ kind: 'events' });
  });
});
