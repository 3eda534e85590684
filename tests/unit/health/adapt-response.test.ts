import { describe, expect, it } from 'vitest';
import { asHead, uncached, withinLimit } from '../../../src/health/adapt-response.js';
import type { ApiResponse } from '../../../src/http/response.js';
import { deferred } from './asking.js';
import { manualClock, settle } from './manual-clock.js';

const responseWith = (more: Partial<ApiResponse> = {}): ApiResponse => ({
  status: 200,
  headers: {},
  body: 'ok',
  ...more,
});

describe('the time limit of a response', () => {
  it('sets no timer for a response that has no limit or is there already', () => {
    const clock = manualClock();
    const later = Promise.resolve(responseWith());
    expect(withinLimit(later, undefined, clock)).toBe(later);
    const now = responseWith();
    expect(withinLimit(now, 10, clock)).toBe(now);
    expect(clock.pending()).toBe(0);
  });

  it('leaves no timer behind when the response is ready or has failed', async () => {
    const clock = manualClock();
    const ready = deferred<ApiResponse>();
    const failing = deferred<ApiResponse>();
    const limited = withinLimit(ready.promise, 10, clock);
    const failed = Promise.resolve(withinLimit(failing.promise, 10, clock)).catch((error: unknown) => error);
    expect(clock.pending()).toBe(2);
    ready.resolve(responseWith());
    failing.reject(new Error('why'));
    expect([await limited, await failed]).toEqual([responseWith(), new Error('why')]);
    await settle();
    expect(clock.pending()).toBe(0);
  });
});

it('the response to HEAD has no length where that of GET has no text', () => {
  expect(asHead(responseWith({ status: 204, body: null }))).toEqual({ status: 204, headers: {}, body: null });
  expect(asHead(responseWith({ headers: { 'x-a': '1' }, body: 'é' }))).toEqual({
    status: 200,
    headers: { 'x-a': '1', 'content-length': '2' },
    body: null,
  });
});

it('a response with caching headers is left as it is', () => {
  const own = responseWith({ headers: { 'cache-control': 'max-age=5' } });
  expect(uncached(own)).toBe(own);
  expect(uncached(responseWith()).headers).toEqual({ 'cache-control': 'no-cache, private' });
});
