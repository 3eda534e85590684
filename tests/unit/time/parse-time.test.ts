import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../src/time/parse-time.js';

const micro = (text: string): unknown => {
  const parsed = parseTime(text, 'micro-time');
  return 'error' in parsed ? parsed.error : parsed.value;
};
const whole = (text: string): unknown => {
  const parsed = parseTime(text, 'time');
  return 'error' in parsed ? parsed.error : parsed.value;
};

describe('a MicroTime', () => {
  test.each([
    ['2024-03-05T06:07:08.123456Z', '2024-03-05T06:07:08.123456Z'],
    ['2024-03-05T06:07:08Z', '2024-03-05T06:07:08.000000Z'],
    ['2024-03-05T06:07:08.120Z', '2024-03-05T06:07:08.120000Z'],
    ['2024-03-05T06:07:08.123456789Z', '2024-03-05T06:07:08.123456Z'],
    ['2024-03-05T06:07:08,123456Z', '2024-03-05T06:07:08.123456Z'],
    ['2024-03-05T08:07:08.123456+02:00', '2024-03-05T06:07:08.123456Z'],
    ['2024-03-05T06:07:08.123456-00:00', '2024-03-05T06:07:08.123456Z'],
    ['2024-02-29T00:30:00+01:00', '2024-02-28T23:30:00.000000Z'],
    ['2024-12-31T23:30:00-01:00', '2025-01-01T00:30:00.000000Z'],
    ['0099-01-01T00:00:00Z', '0099-01-01T00:00:00.000000Z'],
    ['2024-03-05T6:07:08Z', '2024-03-05T06:07:08.000000Z'],
    ['2024-03-31T00:00:00.5Z', '2024-03-31T00:00:00.500000Z'],
    ['2024-02-29T06:07:08.123456Z', '2024-02-29T06:07:08.123456Z'],
    ['2024-12-31T06:07:08.123456Z', '2024-12-31T06:07:08.123456Z'],
    ['2024-11-30T06:07:08.123456Z', '2024-11-30T06:07:08.123456Z'],
  ])('is read from %s as %s', (text, value) => expect(micro(text)).toBe(value));

  const layout = '2006-01-02T15:04:05.000000Z07:00';
  test.each([
    ['', '', '2006'],
    ['x', 'x', '2006'],
    ['2024-03-05', '', 'T'],
    ['2024-03-05t06:07:08z', 't06:07:08z', 'T'],
    ['2024-03-05T06:07:08.123456z', 'z', 'Z07:00'],
    ['2024-03-05T06:07:08.Z', '.Z', '.000000'],
    ['2024-03-05T06:07:08', '', 'Z07:00'],
    ['2024-3-05T06:07:08Z', '3-05T06:07:08Z', '01'],
    ['2024-03-05T06:7:08Z', '7:08Z', '04'],
    ['2024-03-05T06:07:08+0200', '+0200', 'Z07:00'],
  ])('is refused for %j', (text, rest, element) =>
    expect(micro(text)).toBe(`parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${element}"`),
  );

  test.each([
    ['2024-03-05T06:07:60.000000Z', 'second out of range'],
    ['2024-03-05T24:07:08Z', 'hour out of range'],
    ['2024-13-05T06:07:08Z', 'month out of range'],
    ['2023-02-29T06:07:08Z', 'day out of range'],
    ['2023-02-29T06:07:08.123456Z', 'day out of range'],
    ['2024-02-30T06:07:08.123456Z', 'day out of range'],
    ['2024-04-31T06:07:08.123456Z', 'day out of range'],
    ['2024-11-31T06:07:08.123456Z', 'day out of range'],
    ['2024-12-32T06:07:08.123456Z', 'day out of range'],
    ['2024-03-05T06:07:08ZZ', 'extra text: "Z"'],
    ['2024-03-05T06:07:08+25:00', 'time zone offset hour out of range'],
    ['9999-12-31T23:59:59-01:00', 'year out of range'],
  ])('has Go’s words for %s: %s', (text, why) => expect(micro(text)).toBe(`parsing time "${text}": ${why}`));
});

describe('a Time', () => {
  test('has no fraction and no offset', () => {
    expect(whole('2024-03-05T06:07:08.999999999+01:00')).toBe('2024-03-05T05:07:08Z');
    expect(whole('2024-03-05T06:07:08Z')).toBe('2024-03-05T06:07:08Z');
  });

  test('has its own layout in errors', () => {
    expect(whole('x')).toBe('parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"');
    expect(whole('2024-03-05T06:07:08.Z')).toContain('cannot parse ".Z" as "Z07:00"');
  });
});

test("Go's zero time counts as unset", () => {
  expect(whole('0001-01-01T00:00:00Z')).toBeNull();
  expect(micro('0001-01-01T00:00:00.000000Z')).toBeNull();
  expect(micro('0001-01-01T00:00:00.000001Z')).toBe('0001-01-01T00:00:00.000001Z');
});

test('errors show unprintable characters as bytes', () => {
  expect(whole('ü"\u0001')).toContain('parsing time "\\xc3\\xbc\\"\\x01" as');
});

test('any time is read as JavaScript reads it', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0002-01-01'), max: new Date('9998-01-01'), noInvalidDate: true }), (date) => {
      const iso = date.toISOString();
      expect(micro(iso)).toBe(iso.replace('Z', '000Z'));
      expect(whole(iso)).toBe(`${iso.slice(0, 19)}Z`);
    }),
  );
});

test('times are unchanged after a round trip, and any text gives a result', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^\d{4}-[01]\d-[0-3]\dT[0-2]?\d:\d\d:\d\d([.,]\d{0,12})?(Z|[+-]\d\d:\d\d|)$/),
      (text) => {
        const value = parseTime(text, 'micro-time');
        if ('error' in value || value.value === null) return;
        expect(micro(value.value)).toBe(value.value);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(whole(text)).toMatch(/^parsing time/);
    }),
  );
});
