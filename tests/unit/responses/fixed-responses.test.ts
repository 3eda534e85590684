import { expect, it } from 'vitest';
import { bodyAborted, bodyTooLarge } from '../../../src/bridge.js';
import { failureStatus } from '../../../src/responses/failure-status.js';
import {
  badPathText,
  bodyFailureText,
  internalErrorText,
  notFoundText,
  shuttingDownResponse,
  TARGET_TOO_LARGE,
  GATEWAY_TIMEOUT,
  tooManyRequestsText,
  unauthorizedResponse,
} from '../../../src/responses/fixed-responses.js';

const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

it.each([
  ['badPathText', badPathText(), 400, '400 Bad Request\n'],
  ['notFoundText', notFoundText(), 404, '404 page not found\n'],
  ['bodyFailureText of a large body', bodyFailureText(bodyTooLarge(5)), 413, 'Request entity too large\n'],
  ['bodyFailureText of a short body', bodyFailureText(bodyAborted()), 400, 'request body is incomplete\n'],
  ['TARGET_TOO_LARGE', TARGET_TOO_LARGE, 431, '431 Request Header Fields Too Large\n'],
  ['internalErrorText', internalErrorText(), 500, 'Internal Server Error\n'],
])('%s is a response with a text body', (_, response, status, body) => {
  expect(response).toEqual({ status, headers: TEXT, body });
});

it('the response to a reached limit is a text with Retry-After', () => {
  expect(tooManyRequestsText()).toEqual({
    status: 429,
    headers: { ...TEXT, 'cache-control': 'no-cache, private', 'retry-after': '1' },
    body: 'Too many requests, please try again later.\n',
  });
});

it('a request that took too long gets a Status without kind, as text', () => {
  expect(GATEWAY_TIMEOUT).toEqual({
    status: 504,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
  });
});

it('401 is a Status as JSON', () => {
  expect(unauthorizedResponse()).toEqual({
    status: 401,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
    body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}\n',
  });
});

it('a server that shuts down responds with a Status that ends with two newlines', () => {
  expect(shuttingDownResponse()).toEqual({
    status: 503,
    headers: { 'content-type': 'application/json', 'retry-after': '1', 'x-content-type-options': 'nosniff' },
    body: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"apiserver is shutting down","reason":"ServiceUnavailable","code":503}\n\n',
  });
});

it('a Status has its members in the order of the wire', () => {
  expect(JSON.stringify(failureStatus(410, 'Expired', 'old', { kind: 'events' }, { continue: 'x' }))).toBe(
    '{"kind":"Status","apiVersion":"v1","metadata":{"continue":"x"},"status":"Failure","message":"old","reason":"Expired","details":{"kind":"events"},"code":410}',
  );
});
