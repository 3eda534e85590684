import { describe, expect, it } from 'vitest';
import { asksToImpersonate, refuseImpersonation } from '../../../src/auth/impersonation-headers.js';
import type { RequestHeaders } from '../../../src/http/request.js';

const CALLER = { name: 'jane', groups: [] };
const LIST = { verb: 'list', group: 'events.example.com', version: 'v1', resource: 'events' };
const requestWith = (headers?: RequestHeaders) => ({ method: 'GET', url: '/', ...(headers && { headers }) });

describe('a request asks to impersonate', () => {
  it.each<[string, RequestHeaders]>([
    ['a user', { accept: '*/*', 'impersonate-user': 'bob' }],
    ['a user, in another case', { 'Impersonate-User': 'bob' }],
    ['what Kubernetes does not know', { 'impersonate-shoe-size': '42' }],
    ['nobody', { 'impersonate-group': '' }],
  ])('if a header names %s', (_, headers) => {
    expect(asksToImpersonate(requestWith(headers))).toBe(true);
  });

  it.each<[string, RequestHeaders | undefined]>([
    ['it has no headers', undefined],
    ['its header has no value', { 'impersonate-user': undefined }],
    ['its headers only begin like one', { 'if-none-match': '"1"', impersonate: 'bob', 'x-impersonate-user': 'bob' }],
  ])('never if %s', (_, headers) => {
    expect(asksToImpersonate(requestWith(headers))).toBe(false);
  });
});

it('a service without impersonation refuses each such request, and says which headers not to send', async () => {
  expect(await refuseImpersonation(requestWith({ 'impersonate-user': 'bob' }), CALLER, LIST)).toEqual({
    refused: expect.objectContaining({
      code: 403,
      reason: 'Forbidden',
      message: 'forbidden: impersonation is not enabled on this server: send no Impersonate-* headers',
    }) as unknown,
  });
  expect(await refuseImpersonation(requestWith({ accept: '*/*' }), CALLER, LIST)).toEqual({ caller: CALLER });
});
