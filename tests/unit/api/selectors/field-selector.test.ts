import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, everything, parseFieldSelector } from '../../../../src/api/selectors/field-selector.js';
import { parseLabelSelector } from '../../../../src/api/selectors/label-selector.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';

const SUPPORTED: ReadonlyMap<string, string> = new Map(
  ['type', 'reason', 'metadata.name', 'constructor'].map((name) => [name, name]),
);
const parse = (text: string) => parseFieldSelector(text, SUPPORTED);
const matches = (text: string, fields: Readonly<Record<string, string>>): boolean =>
  parse(text).matches({ fields, labels: {} });

function errorOf(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (isStatusFailure(error) && error.status.code === 400 && error.status.reason === 'BadRequest')
      return error.message;
    throw error;
  }
  return 'no error';
}

describe('parseFieldSelector', () => {
  it.each([
    ['', true],
    [',', true],
    ['type=Normal', true],
    ['type==Normal', true],
    ['type!=Normal', false],
    ['type=Warning', false],
    ['type=', false],
    ['type!=', true],
    ['reason=', true],
    ['constructor=', true],
    ['type=Normal,metadata.name=a\\,b', true],
    ['type=Normal,metadata.name=a', false],
    ['metadata.name!=a\\=b', true],
  ])('compiles a selector that matches by %j: %s', (text, expected) => {
    expect(matches(text, { type: 'Normal', 'metadata.name': 'a,b' })).toBe(expected);
  });

  it.each([
    ['note=x', 'field label not supported: note'],
    ['=x', 'field label not supported: '],
    ['type =Normal', 'field label not supported: type '],
    ['bogus', "invalid selector: 'bogus'; can't understand 'bogus'"],
    ['type=a,bogus', "invalid selector: 'type=a,bogus'; can't understand 'bogus'"],
    ['type,bogus', "invalid selector: 'type,bogus'; can't understand 'bogus'"],
    ['type in (Normal)', "invalid selector: 'type in (Normal)'; can't understand 'type in (Normal)'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['reason=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['reason=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['reason=a\\😀', 'invalid field selector: invalid escape sequence: \\😀'],
    ['!x', "invalid selector: '!x'; can't understand '!x'"],
    ['!=x', 'field label not supported: '],
    ['type!x=y', 'field label not supported: type!x'],
    ['type===x', 'invalid field selector: unescaped character in value: 61'],
    ['type!==x', 'invalid field selector: unescaped character in value: 61'],
    ['__proto__=x', 'field label not supported: __proto__'],
  ])('refuses the invalid selector %j', (text, message) => {
    expect(errorOf(text)).toBe(message);
  });

  it('reports the value that it fixes a field to', () => {
    const selector = parse('type!=Normal,metadata.name=a\\=b');
    expect(selector.exact('metadata.name')).toBe('a=b');
    expect(selector.exact('type')).toBeUndefined();
    expect(selector.equalities).toEqual([{ field: 'metadata.name', value: 'a=b' }]);
  });

  it('reads another field than that of the label, if the map has one', () => {
    const selector = parseFieldSelector('source=x', new Map([['source', 'reportingController']]));
    expect(selector.equalities).toEqual([{ field: 'reportingController', value: 'x' }]);
    expect(selector.matches({ fields: { reportingController: 'x' }, labels: {} })).toBe(true);
  });

  it('is empty without terms', () => {
    expect(parse('').empty).toBe(true);
  });

  it.each([
    ['type!=a,type!=b,type!=c', { type: 'd' }, true],
    ['type!=a,type!=b,type!=c', { type: 'b' }, false],
    ['type!=a,type!=b', {}, true],
    ['type!=,type!=b', {}, false],
    ['type=a,type=b', { type: 'a' }, false],
    ['type=a,type=b,type=c', { type: 'c' }, false],
    ['type=a,type!=b', { type: 'a' }, true],
    ['type=a,type!=a', { type: 'a' }, false],
  ])('joins the terms on one field: %s', (text, fields: Record<string, string>, expected) => {
    expect(matches(text, fields)).toBe(expected);
  });

  it('reads each field once for any number of terms, and gives stores few of them', () => {
    const terms = Array.from({ length: 256 }, (_, index) => `type!=v${index},reason=r${index}`);
    const selector = parse(terms.join(','));
    let read = 0;
    const field = (): string => (read++, '');
    selector.matches({ fields: {}, labels: {}, field });
    parse(Array.from({ length: 512 }, (_, index) => `type!=v${index}`).join(',')).matches({
      fields: {},
      labels: {},
      field,
    });
    expect(read).toBeLessThan(5);
    expect(selector.equalities).toHaveLength(2);
    expect(selector.onlyEqualities).toBe(false);
  });

  it('refuses more than 512 terms and more than 32768 characters', () => {
    expect(errorOf(Array.from({ length: 512 }, () => 'type=a').join(','))).toBe('no error');
    const tooMany = 'fieldSelector has too many terms: may not be more than 512';
    expect(errorOf(Array.from({ length: 513 }, () => 'type=a').join(','))).toBe(tooMany);
    expect(errorOf(','.repeat(20_000))).toBe(tooMany);
    const tooLong = 'fieldSelector is too long: may not be more than 32768 characters';
    expect(errorOf(`type=${'a'.repeat(32_768)}`)).toBe(tooLong);
  });

  it('throws nothing but a 400', () => {
    const piece = fc.constantFrom('type', 'reason', '=', '==', '!=', ',', '\\', 'x', ' ', '\\,', '\\=');
    fc.assert(fc.property(fc.array(piece), (pieces) => void errorOf(pieces.join(''))));
    fc.assert(fc.property(fc.string(), (text) => void errorOf(text)));
  });
});

describe('allOf', () => {
  const field = parse('type=Normal');
  const label = parseLabelSelector('app');

  it('selects everything without selectors', () => {
    expect(allOf()).toBe(everything);
    expect(allOf(parse(''), parseLabelSelector(''))).toBe(everything);
    expect(everything.matches({ fields: {}, labels: {} })).toBe(true);
  });

  it('requires all of the selectors', () => {
    const both = allOf(field, label);
    expect(both.matches({ fields: { type: 'Normal' }, labels: { app: '' } })).toBe(true);
    expect(both.matches({ fields: { type: 'Normal' }, labels: {} })).toBe(false);
    expect(both.equalities).toEqual(field.equalities);
    expect(both.empty).toBe(false);
  });
});
