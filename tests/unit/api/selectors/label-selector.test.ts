import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../../../../src/api/selectors/label-selector.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';

const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: { app: 'x', tier: 'front' },
  b: { app: 'y' },
  c: {},
  d: { load: '7', empty: '' },
};

const picked = (selector: string): string =>
  Object.entries(LABELS)
    .filter(([, labels]) => parseLabelSelector(selector).matches({ fields: {}, labels }))
    .map(([name]) => name)
    .join('');

function errorOf(selector: string): string {
  try {
    parseLabelSelector(selector);
  } catch (error) {
    if (isStatusFailure(error) && error.status.code === 400 && error.status.reason === 'BadRequest')
      return error.message;
    throw error;
  }
  return 'no error';
}

const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('parseLabelSelector', () => {
  it.each([
    ['', 'abcd'],
    [' ', 'abcd'],
    ['app=x', 'a'],
    ['app==x', 'a'],
    ['app!=x', 'bcd'],
    ['app', 'ab'],
    ['!app', 'cd'],
    ['! app', 'cd'],
    ['app in (x,y)', 'ab'],
    ['app in (x, y ,)', 'ab'],
    ['empty in (,x)', 'd'],
    ['empty in (x,)', 'd'],
    ['empty in ()', 'd'],
    ['empty in (x,,y)', 'd'],
    ['app notin (x)', 'bcd'],
    ['app=x,tier=front', 'a'],
    ['tier notin (front),app', 'b'],
    ['app\t=\r\nx', 'a'],
    ['empty=', 'd'],
    ['empty=,load', 'd'],
    ['app,app', 'ab'],
    ['load>6', 'd'],
    ['load<7', ''],
    ['load>007', ''],
    ['app>1', ''],
    ['in in (in)', ''],
    ['app==x,app!=y', 'a'],
    ['example.com/x=1', ''],
    ['constructor', ''],
    ['!toString', 'abcd'],
  ])('compiles a selector: %j selects %s', (selector, expected) => {
    expect(picked(selector)).toBe(expected);
  });

  it.each([
    ['app=x,,tier', "found ',', expected: identifier after ','"],
    ['app=x,', "found '', expected: identifier after ','"],
    ['(', "found '(', expected: !, identifier, or 'end of string'"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['==x', "found '==', expected: !, identifier, or 'end of string'"],
    ['app in', "unable to parse requirement: found '' expected: '('"],
    ['app in x', "unable to parse requirement: found 'x' expected: '('"],
    ['app in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['app in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ['app in (!)', "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
    ['app in (x,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['app!', "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
    ['app gt 1', "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"],
    ['bad key=1', "unable to parse requirement: found 'key', expected: in, notin, =, ==, !=, gt, lt"],
    ['app>=1', "unable to parse requirement: found '=', expected: identifier"],
    ['app!==x', "unable to parse requirement: found '=', expected: identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['app=x y', "found 'y', expected: ',' or 'end of string'"],
    ['!app=x', "found '=', expected: ',' or 'end of string'"],
    ['app=-x', `unable to parse requirement: values[0][app]: Invalid value: "-x": ${VALUE_RULE}`],
    ['app=é', `unable to parse requirement: values[0][app]: Invalid value: "é": ${VALUE_RULE}`],
    [
      `${'a'.repeat(64)}=1`,
      `unable to parse requirement: <nil>: Invalid value: "${'a'.repeat(64)}": name part must be no more than 63 bytes`,
    ],
    [
      'app>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      'app<x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['app>-1', `unable to parse requirement: values[0][app]: Invalid value: "-1": ${VALUE_RULE}`],
  ])('refuses the invalid selector %j', (selector, message) => {
    expect(errorOf(selector)).toBe(message);
  });

  it('selects objects with every required label and no refused one, also by many keys', () => {
    const eight = Object.fromEntries(Array.from('abcdefgh', (key) => [key, '1']));
    const selector = parseLabelSelector('a,b,c,d,e,f,g,h,load notin (7),!old');
    const matches = (labels: Readonly<Record<string, string>>): boolean => selector.matches({ fields: {}, labels });
    const { h: _h, ...seven } = eight;
    expect(matches(eight)).toBe(true);
    expect(matches({ ...eight, load: '6', other: '1' })).toBe(true);
    expect(matches({ ...eight, load: '7' })).toBe(false);
    expect(matches({ ...eight, old: '' })).toBe(false);
    expect(matches({ ...seven, load: '6' })).toBe(false);
  });

  it('reports several faults of one value', () => {
    expect(errorOf('app>x;')).toMatch(/^unable to parse requirement: \[values\[0\]: .*, values\[0\]\[app\]: .*\]$/);
  });

  it('is empty without requirements', () => {
    expect(parseLabelSelector('').empty).toBe(true);
    expect(parseLabelSelector('a').empty).toBe(false);
  });

  it('throws nothing but a 400 for any text', () => {
    const piece = fc.constantFrom(
      'app',
      'in',
      'notin',
      '=',
      '==',
      '!',
      '(',
      ')',
      ',',
      ' ',
      '>',
      '<',
      'x',
      '',
      '\0',
      'é',
      '/',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((p) => p.join('')),
        ),
        (text) => void errorOf(text),
      ),
    );
  });

  it('selects what each of its parts selects', () => {
    const key = fc.constantFrom('app', 'tier', 'in', 'example.com/x', 'notin');
    const value = fc.constantFrom('x', 'y', '', '3', 'in', 'front');
    const part = fc.oneof(
      key,
      key.map((k) => `!${k}`),
      fc.tuple(key, fc.constantFrom('=', '==', '!='), value).map((p) => p.join('')),
      fc
        .tuple(key, fc.constantFrom(' in ', ' notin '), fc.array(value, { maxLength: 4 }))
        .map(([k, o, v]) => `${k}${o}(${v.join(', ')})`),
      key.map((k) => `${k}>2`),
    );
    const labels = fc.dictionary(key, value);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), labels, (parts, candidate) => {
        if (errorOf(parts.join(',')) !== 'no error') return;
        const selects = (text: string): boolean => parseLabelSelector(text).matches({ fields: {}, labels: candidate });
        expect(selects(parts.join(','))).toBe(parts.every(selects));
      }),
    );
  });

  it('counts requirements and listed values, and refuses more than 512 of them', () => {
    const values = (count: number): string => Array.from({ length: count }, (_, index) => `v${index}`).join(',');
    const most = parseLabelSelector(`app in (${values(512)})`);
    expect(most.matches({ fields: {}, labels: { app: 'v511' } })).toBe(true);
    const tooMany = 'labelSelector has too many terms: may not be more than 512';
    expect(errorOf(`app in (${values(513)})`)).toBe(tooMany);
    expect(errorOf(`old,app in (${values(512)})`)).toBe(tooMany);
    expect(errorOf(values(513))).toBe(tooMany);
    expect(errorOf(`app in (${','.repeat(5_000)})`)).toBe(tooMany);
  });

  it('does not read a text of more than 32768 characters', () => {
    const text = 'a'.repeat(32_769);
    expect(errorOf(text)).toBe('labelSelector is too long: may not be more than 32768 characters');
  });

  it('looks up the labels of an object, not each of its own keys', () => {
    const selector = parseLabelSelector(Array.from({ length: 512 }, (_, index) => `!key${index}`).join(','));
    let looked = 0;
    const labels = new Proxy<Record<string, string>>(
      { app: 'web', tier: 'front' },
      {
        ownKeys: (target) => (looked++, Reflect.ownKeys(target)),
        getOwnPropertyDescriptor: (target, key) => (looked++, Reflect.getOwnPropertyDescriptor(target, key)),
        get: (target, key) => (looked++, Reflect.get(target, key) as unknown),
      },
    );
    expect(selector.matches({ fields: {}, labels })).toBe(true);
    expect(looked).toBeLessThan(10);
    expect(selector.matches({ fields: {}, labels: { key511: '' } })).toBe(false);
  });

  it.each([
    ['app in (x,y),app in (y,z)', 'b'],
    ['app in (x),app in (y)', ''],
    ['app,!app', ''],
    ['!app,app', ''],
    ['!app,app=x', ''],
    ['app!=x,!app', 'cd'],
    ['app!=x,app!=y', 'cd'],
    ['app!=x,app notin (y,z),app', ''],
    ['load>6,load<8,load>1,load<9', 'd'],
    ['load>6,load in (7,8)', 'd'],
    ['load>6,load!=7', ''],
  ])('joins the requirements on one key: %s', (selector, expected) => {
    const others = Array.from({ length: 10 }, (_, index) => `!other${index}`).join(',');
    expect(picked(selector)).toBe(expected);
    expect(picked(`${selector},${others}`)).toBe(expected);
  });
});

it('lists the labels of an object with many of them once, however many selectors read it', () => {
  const labels: Record<string, string> = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 'v']),
  );
  let lists = 0;
  const ownKeys = (target: object): (string | symbol)[] => {
    lists++;
    return Reflect.ownKeys(target);
  };
  const candidate = { fields: {}, labels: new Proxy<Readonly<Record<string, string>>>(labels, { ownKeys }) };
  const terms = Array.from({ length: 20 }, (_, index) => `k${index}=v`).join(',');
  for (let round = 0; round < 5; round++) {
    expect(parseLabelSelector(`${terms},!missing`).matches(candidate)).toBe(true);
    expect(parseLabelSelector(`${terms},missing`).matches(candidate)).toBe(false);
    expect(parseLabelSelector(`${terms},k30!=v`).matches(candidate)).toBe(false);
  }
  expect(lists).toBe(1);
});
