import { describe, expect, it } from 'vitest';
import {
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
});
