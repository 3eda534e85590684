import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWholeSeconds, microTime, timestampOf, timeText, ZERO_SECONDS } from '../../../src/time/timestamp.js';

test('a time is truncated to its second, whatever was formatted before', () => {
  const wholeSeconds = createWholeSeconds();
  const start = Date.UTC(2026, 0, 1) * 1000;
  expect(wholeSeconds(start)).toBe('2026-01-01T00:00:00Z');
  expect(wholeSeconds(start + 999_999)).toBe('2026-01-01T00:00:00Z');
  expect(wholeSeconds(start + 1_000_000)).toBe('2026-01-01T00:00:01Z');
  expect(wholeSeconds(start - 1)).toBe('2025-12-31T23:59:59Z');
});

test('a time of a clock has all six digits of its microseconds, as the text of its timestamp does', () => {
  expect(microTime(Date.UTC(2026, 0, 1) * 1000 + 7)).toBe('2026-01-01T00:00:00.000007Z');
  fc.assert(
    fc.property(fc.nat(4_000_000_000_000_000), (micros) => {
      const seconds = Math.floor(micros / 1e6);
      expect(microTime(micros)).toBe(timeText({ seconds, nanos: (micros % 1e6) * 1000 }, 'micro-time'));
    }),
  );
});

describe('the text of a timestamp', () => {
  test('is read back, truncated to the precision of its type', () => {
    const seconds = fc.integer({ min: ZERO_SECONDS + 1, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999_999_999 }), (whole, nanos) => {
        const micros = nanos - (nanos % 1000);
        const of = { seconds: whole, nanos };
        const iso = new Date(whole * 1000).toISOString().slice(0, 19);
        expect(timeText(of, 'time')).toBe(`${iso}Z`);
        expect(timeText(of, 'micro-time')).toBe(`${iso}.${String(micros / 1000).padStart(6, '0')}Z`);
        expect(timestampOf(`${iso}Z`, 'time')).toEqual({ seconds: whole, nanos: 0 });
        expect(timestampOf(timeText(of, 'micro-time') ?? '', 'micro-time')).toEqual({ seconds: whole, nanos: micros });
      }),
    );
  });

  test.each<[number, number, string | null | undefined]>([
    [ZERO_SECONDS, 0, null],
    [ZERO_SECONDS, 999, null],
    [ZERO_SECONDS, 1000, '0001-01-01T00:00:00.000001Z'],
    [-62_167_219_200, 0, '0000-01-01T00:00:00.000000Z'],
    [-62_167_219_201, 0, undefined],
    [253_402_300_799, 999_999_999, '9999-12-31T23:59:59.999999Z'],
    [253_402_300_800, 0, undefined],
    [NaN, 0, undefined],
    [0, 2_500_000_000, '1970-01-01T00:00:02.500000Z'],
    [0, -1000, '1969-12-31T23:59:59.999999Z'],
  ])('of %d seconds and %d nanoseconds is %j', (seconds, nanos, text) => {
    expect(timeText({ seconds, nanos }, 'micro-time')).toBe(text);
  });
});
