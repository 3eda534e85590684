import { describe, expect, it } from 'vitest';
import { parseGoDuration } from '../../../src/time/go-duration.js';

describe('Go durations', () => {
  it.each([
    ['0', 0],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['100ms', 100],
    ['1us', 0.001],
    ['1\u00b5s', 0.001],
    ['1\u03bcs', 0.001],
    ['1ns', 0.000_001],
    ['+1m', 60_000],
    ['-2ms', -2],
    ['1h0m0s', 3_600_000],
  ])('are parsed from %s', (text, expected) => expect(parseGoDuration(text)).toEqual({ ms: expected }));

  it('are shown by the beginning if their text is too long', () => {
    expect(parseGoDuration(`${'0'.repeat(63)}s`)).toEqual({ ms: 0 });
    const fault = `time: invalid duration "${'1'.repeat(64)}..."`;
    expect(parseGoDuration(`${'1'.repeat(64)}s`)).toEqual({ fault });
    expect(parseGoDuration(`${'1'.repeat(1_000_000)}s`)).toEqual({ fault });
  });

  it.each([
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
    ['', 'time: invalid duration ""'],
    ['1h30', 'time: missing unit in duration "1h30"'],
    ['--1s', 'time: invalid duration "--1s"'],
    ['1 s', 'time: unknown unit " s" in duration "1 s"'],
    ['.s', 'time: invalid duration ".s"'],
    ['5y', 'time: unknown unit "y" in duration "5y"'],
    ['1ü', 'time: unknown unit "\\xc3\\xbc" in duration "1\\xc3\\xbc"'],
    ['1"\\\t\x7f', 'time: unknown unit "\\"\\\\\\x09\x7f" in duration "1\\"\\\\\\x09\x7f"'],
    ['5constructor', 'time: unknown unit "constructor" in duration "5constructor"'],
  ])('are refused for %j', (text, fault) => expect(parseGoDuration(text)).toEqual({ fault }));
});
