import { describe, expect, it } from 'vitest';
import { age, humanDuration } from '../../../src/time/human-duration.js';

const M = 60;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

describe('humanDuration', () => {
  it.each([
    [-1e12, '<invalid>'],
    [-2, '<invalid>'],
    [-1.999, '0s'],
    [-1, '0s'],
    [-0.5, '0s'],
    [0, '0s'],
    [0.999, '0s'],
    [1, '1s'],
    [2 * M - 0.001, '119s'],
    [2 * M, '2m'],
    [2 * M + 1, '2m1s'],
    [9 * M + 59.9, '9m59s'],
    [10 * M, '10m'],
    [10 * M + 59, '10m'],
    [3 * H - 1, '179m'],
    [3 * H, '3h'],
    [3 * H + 59, '3h'],
    [3 * H + M, '3h1m'],
    [8 * H - 1, '7h59m'],
    [8 * H, '8h'],
    [8 * H + 59 * M, '8h'],
    [48 * H - 1, '47h'],
    [48 * H, '2d'],
    [49 * H, '2d1h'],
    [8 * D - 1, '7d23h'],
    [8 * D, '8d'],
    [8 * D + 23 * H, '8d'],
    [2 * Y - 1, '729d'],
    [2 * Y, '2y'],
    [2 * Y + D - 1, '2y'],
    [2 * Y + D, '2y1d'],
    [8 * Y - 1, '7y364d'],
    [8 * Y, '8y'],
    [9 * Y - 1, '8y'],
    [1e15, '292y'],
  ])('shows %d s as %s', (seconds, text) => {
    expect(humanDuration(seconds)).toBe(text);
  });
});

describe('age', () => {
  const now = Date.parse('2024-03-05T06:07:08Z') * 1000;

  it('is the time since, to the microsecond', () => {
    expect(age('2024-03-05T06:05:08Z', now)).toBe('2m');
    expect(age('2024-03-05T06:05:08.000001Z', now)).toBe('119s');
    expect(age('2024-03-05T06:05:07.999999Z', now)).toBe('2m');
    expect(age('2024-03-05T06:05:08.0000009Z', now)).toBe('2m');
  });

  it('is unknown for unset and zero times', () => {
    for (const time of [null, undefined, '', 'soon', '0001-01-01T00:00:00Z', 5])
      expect(age(time, now)).toBe('<unknown>');
  });
});
