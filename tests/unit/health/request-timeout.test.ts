import { describe, expect, it } from 'vitest';
import { requestTimeout } from '../../../src/health/adapt-response.js';

describe('the timeout of a health request', () => {
  it.each([
    ['1ms', 1],
    ['1.5s', 1_500],
    ['59.999s', 59_999],
  ])('is parsed from %s', (text, ms) => {
    expect(requestTimeout(text)).toMatchObject({ ms });
  });

  it.each([undefined, '', '0s', '-1s', '60s', '61s', '2h'])('is not shortened by %s', (text) => {
    expect(requestTimeout(text)).toBeUndefined();
  });

  it('is an error when it is not a duration', () => {
    expect(requestTimeout('5')).toMatchObject({ fault: expect.stringContaining('missing unit') as string });
  });
});
