import { describe, expect, it } from 'vitest';
import { checkOptions, described, optionFaults } from '../../../src/options/check-options.js';
import {
  aBoolean,
  aClock,
  aFunction,
  aList,
  aListOf,
  aListOfStrings,
  anAbortSignal,
  aNonEmptyString,
  anObject,
  anObjectWith,
  aNumber,
  aPositiveNumber,
  aString,
  aWholeNumber,
  oneOf,
  orInfinity,
  required,
} from '../../../src/options/rules.js';
import { systemClock } from '../../../src/clock/clock.js';

describe('a rule', () => {
  it.each([
    ['aFunction', aFunction, [() => 1], [1, {}, null], 'x must be a function'],
    ['aBoolean', aBoolean, [true, false], [0, 'true', null], 'x must be true or false'],
    ['aString', aString, ['', 'a'], [1, null], 'x must be a string'],
    ['aNonEmptyString', aNonEmptyString, ['a'], ['', 1, null], 'x must be a non-empty string'],
    ['aList', aList, [[], [1]], ['a', {}, null], 'x must be a list'],
    ['aListOfStrings', aListOfStrings, [[], ['a']], ['a', [''], [1], null], 'x must be a list of non-empty strings'],
    ['aClock', aClock, [systemClock], [{}, { now: () => 0 }, Date, null], 'x must be a Clock'],
    [
      'anAbortSignal',
      anAbortSignal,
      [AbortSignal.abort()],
      [{}, new AbortController(), null],
      'x must be an AbortSignal',
    ],
    ['aPositiveNumber', aPositiveNumber, [0.1, 1e9], [0, -1, NaN, Infinity, '1', null], 'x must be a number above 0'],
    ['aNumber(1)', aNumber(1), [1, 1.5], [0.9, NaN, Infinity, '1', null], 'x must be a number of at least 1'],
    ['aNumber(1, 2)', aNumber(1, 2), [1, 2], [0.9, 2.1, NaN, null], 'x must be a number from 1 to 2'],
    [
      'aWholeNumber(0)',
      aWholeNumber(0),
      [0, 5],
      [-1, 0.5, NaN, Infinity, '1', null],
      'x must be a whole number of at least 0',
    ],
    ['aWholeNumber(1, 2)', aWholeNumber(1, 2), [1, 2], [0, 3, 1.5, null], 'x must be a whole number from 1 to 2'],
    ['orInfinity', orInfinity(aNumber(0)), [0, Infinity], [-1, null], 'x must be a number of at least 0, or Infinity'],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', 1, null], "x must be 'a' or 'b'"],
    ['anObjectWith', anObjectWith(['go'], 'a goer'), [{ go: () => 1 }], [{}, { go: 1 }, 1, null], 'x must be a goer'],
    ['anObject', anObject({ a: aBoolean }), [{}, { a: true }], [1, [], null], 'x must be an object'],
  ] as const)('(%s) accepts what fits, and undefined', (_, rule, good, bad, fault) => {
    for (const value of [undefined, ...good]) expect(rule(value, 'x')).toEqual([]);
    for (const value of bad) expect(rule(value, 'x')).toEqual([fault]);
    expect(required(rule)(undefined, 'x')).toEqual([fault]);
  });

  it('of an object or a list names the place of each fault', () => {
    const rule = aListOf(anObject({ size: aNumber(0) }));
    expect(rule([{ size: 1 }, { size: -1 }, undefined, { sice: 1 }], 'parts')).toEqual([
      'parts[1].size must be a number of at least 0',
      'parts[2] must be an object',
      'there is no option "parts[3].sice" (did you mean "parts[3].size"?)',
    ]);
    expect(rule('a', 'parts')).toEqual(['parts must be a list']);
  });
});

describe('checkOptions', () => {
  interface Options {
    readonly size?: number | undefined;
    readonly isOpen?: boolean | undefined;
  }
  const rules = { size: aNumber(0), isOpen: aBoolean };

  it('throws one TypeError with faults, unknown options and what does not go together', () => {
    const given = { size: -1, isOpen: 'yes', colour: 1 } as never;
    expect(() =>
      checkOptions<Options>('paint', given, rules, () => ['size and isOpen exclude each other', false, undefined]),
    ).toThrow(
      new TypeError(
        'paint: size must be a number of at least 0; isOpen must be true or false; there is no option "colour" (did you mean one of size, isOpen?); size and isOpen exclude each other',
      ),
    );
    expect(() => checkOptions<Options>('paint', { size: undefined }, rules, () => [])).not.toThrow();
  });

  it.each([[undefined], [null], [1], ['a'], [[]]])('refuses %j in place of options', (given) => {
    const crossCheck = (): never => expect.unreachable();
    expect(() => checkOptions<Options>('paint', given as never, rules, crossCheck)).toThrow(
      new TypeError('paint: the options must be an object'),
    );
  });

  it.each([
    ['siz', 'size'],
    ['sizes', 'size'],
    ['sise', 'size'],
    ['isopen', 'isOpen'],
    ['isOpenMs', 'isOpen'],
    ['isOpne', 'isOpen'],
    ['wasOpen', 'isOpen'],
  ])('suggests a known option in place of %s', (name, meant) => {
    expect(optionFaults<Options>({ [name]: 1 }, rules)).toEqual([
      `there is no option "${name}" (did you mean "${meant}"?)`,
    ]);
  });

  it.each(['', 'si', 'open', 'ize-of', 'isOpenAtAll', 'sizesize', 'sizeble', '__proto__', 'constructor'])(
    'lists the known options in place of %j',
    (name) => {
      const given = JSON.parse(`{${JSON.stringify(name)}:1}`) as object;
      expect(optionFaults<Options>(given, rules)).toEqual([
        `there is no option ${JSON.stringify(name)} (did you mean one of size, isOpen?)`,
      ]);
    },
  );
});

describe('described', () => {
  it('describes in a few words what was given', () => {
    expect([null, undefined, true, 5, 'x', [], {}].map(described)).toEqual([
      'null',
      'undefined',
      'true',
      'a value of type number',
      'a value of type string',
      'a value of type array',
      'a value of type object',
    ]);
  });
});
