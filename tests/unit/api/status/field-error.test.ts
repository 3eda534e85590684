import { describe, expect, it } from 'vitest';
import { invalid } from '../../../../src/api/status/failures.js';
import {
  collectErrors,
  invalidValue,
  joinFieldErrors,
  notSupported,
  required,
  type FieldError,
} from '../../../../src/api/status/field-error.js';

describe('field errors', () => {
  it.each<[FieldError, string, string]>([
    [required('a'), 'FieldValueRequired', 'Required value'],
    [required('a', 'why'), 'FieldValueRequired', 'Required value: why'],
    [invalidValue('a', 'x"\u0007\u200b', 'bad'), 'FieldValueInvalid', 'Invalid value: "x\\"\\a\\u200b": bad'],
    [invalidValue('a', ['x'], 'bad'), 'FieldValueInvalid', 'Invalid value: ["x"]: bad'],
    [invalidValue('a', undefined, 'bad'), 'FieldValueInvalid', 'Invalid value: null: bad'],
    [notSupported('a', 'x', ['', 'y']), 'FieldValueNotSupported', 'Unsupported value: "x": supported values: "", "y"'],
  ])('have Kubernetes’ words: %o', (error, reason, text) => {
    expect(error).toEqual({ field: 'a', reason, text });
  });

  it('are joined in brackets, equal ones once', () => {
    const [one, two] = [required('a'), required('b')];
    expect(joinFieldErrors([one, one])).toBe('a: Required value');
    expect(joinFieldErrors([one, two, one])).toBe('[a: Required value, b: Required value]');
  });

  it.each([
    ['ASCII', 'x'],
    ['umlauts', '\u00e4'],
    ['unprintable', '\u0085'],
  ])('of many items are made only as far as they are shown: %s', (_, character) => {
    const items = Array.from({ length: 40 }, (_, index) => `${character.repeat(1000)}${index}`);
    const errorsOf = (item: string): readonly FieldError[] => [invalidValue('a', item, 'bad')];
    const errors = collectErrors(items, errorsOf);
    const { status } = invalid('Event', 'e', errors);
    expect(errors.length).toBeLessThanOrEqual((status.details?.causes?.length ?? 0) + 1);
    expect(status).toEqual(invalid('Event', 'e', items.flatMap(errorsOf)).status);
  });
});
