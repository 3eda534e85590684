import { describe, expect, it } from 'vitest';
import { goList, goPrint, goPrintAsText, goQuote, goType, findUnprintable } from '../../../src/json/go-print.js';

describe('goPrint', () => {
  it.each<[unknown, string]>([
    [null, '<nil>'],
    [undefined, '<nil>'],
    ['a b', 'a b'],
    [true, 'true'],
    [[], '[]'],
    [['x', 1, null, [false]], '[x 1 <nil> [false]]'],
    [{}, 'map[]'],
    [{ b: 1, a: { d: 'e' }, '\u{10000}': 1, '\uffff': 2 }, 'map[a:map[d:e] b:1 \uffff:2 \u{10000}:1]'],
    [42, '42'],
    [-7, '-7'],
    [1e21, '1e+21'],
    [2 ** 63, '9.223372036854776e+18'],
    [-(2 ** 63), '-9223372036854775808'],
    [1_000_000, '1000000'],
    [0.5, '0.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-0.00001, '-1e-05'],
    [1.5e-10, '1.5e-10'],
    [1.5e-7, '1.5e-07'],
    [999_999.5, '999999.5'],
    [1_000_000.5, '1.0000005e+06'],
    [-1_000_000.5, '-1.0000005e+06'],
  ])('prints %j as Go prints it', (value, expected) => {
    expect(goPrint(value)).toBe(expected);
  });
});

describe('goType', () => {
  it.each<[unknown, string]>([
    [null, '<nil>'],
    [undefined, '<nil>'],
    [[], '[]interface {}'],
    [{}, 'map[string]interface {}'],
    [1, 'int64'],
    [2 ** 63, 'float64'],
    [-(2 ** 63), 'int64'],
    [1.5, 'float64'],
    [false, 'bool'],
    ['', 'string'],
  ])('is the type that Go decodes %j into', (value, expected) => {
    expect(goType(value)).toBe(expected);
  });
});

describe('goPrintAsText', () => {
  it.each<[unknown, string]>([
    ['a', 'a'],
    [['a'], '[a]'],
    [{ a: 1 }, 'map[a:1]'],
    [null, '%!s(<nil>)'],
    [undefined, '%!s(<nil>)'],
    [5, '%!s(int64=5)'],
    [1.5, '%!s(float64=1.5)'],
    [true, '%!s(bool=true)'],
  ])('prints %j where Go expects a text', (value, expected) => {
    expect(goPrintAsText(value)).toBe(expected);
  });
});

describe('goQuote', () => {
  it.each<[string, string]>([
    ['', '""'],
    ['plain ~ text', '"plain ~ text"'],
    ['"\\', '"\\"\\\\"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\u001b\u007f', '"\\x00\\x1b\\x7f"'],
    ['\u0085\u00a0\u200b\ufeff', '"\\u0085\\u00a0\\u200b\\ufeff"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['é中😀\u0301', '"é中😀\u0301"'],
    ['a\ud83db\ude00', '"a\ufffdb\ufffd"'],
    ['\ud800 \udfff', '"\ufffd \ufffd"'],
    ['\ud7ff\ue000', '"\\ud7ff\\ue000"'],
  ])('quotes %j as Go quotes it', (text, expected) => {
    expect(goQuote(text)).toBe(expected);
  });
});

describe('goList', () => {
  const list = (...items: string[]): string => goList(items, (item) => item.toUpperCase(), 4);

  it('lists items as Go does', () => {
    expect([list(), list('a'), list('a', 'b')]).toEqual(['', 'A', 'A, B']);
  });

  it('ends soon after as many characters as it may have', () => {
    expect(list('a', 'b', 'c', 'd')).toBe('A, B, C');
  });
});

it.each([
  ['a', false],
  ['é中\u0301€ +-_', false],
  ['\t', true],
  ['a\u00a0', true],
  ['\u200b', true],
  ['\ud83d', true],
])('%j has something that Go does not print: %s', (text, expected) => {
  expect(findUnprintable(text) !== null).toBe(expected);
});
