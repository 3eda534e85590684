import { invalidValue, joinFieldErrors, type FieldError } from '../status/field-error.js';
import { byCodePoint } from '../../json/code-point-order.js';
import { labelValueErrors, qualifiedNameErrors } from '../validation/names.js';

/** The operator of a requirement. `=` and `==` are `in`, with one value. */
export type LabelOperator = 'exists' | 'missing' | 'in' | 'notin' | '>' | '<';

/** One part of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
}

/** The error of an invalid label key, in the words of a selector's error; undefined for a valid one. */
export function labelKeyError(key: string): string | undefined {
  const faults = qualifiedNameErrors(key);
  return faults.length === 0 ? undefined : joinFieldErrors([invalidValue('<nil>', key, faults.join('; '))]);
}

/** The error of values that do not fit the operator; undefined if they do. */
export function labelValuesError({ key, operator, values }: LabelRequirement): string | undefined {
  const errors: FieldError[] = [];
  if (operator === '>' || operator === '<') {
    values.forEach((value, index) => {
      if (toInt64(value) !== undefined) return;
      errors.push(invalidValue(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    });
  }
  values.forEach((value, index) => {
    const faults = labelValueErrors(value);
    if (faults.length > 0) errors.push(invalidValue(`values[${index}][${key}]`, value, faults.join('; ')));
  });
  return errors.length === 0 ? undefined : joinFieldErrors(errors);
}

/** Values in order, each once. */
export function distinctValues(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort(byCodePoint);
}

/** The requirement as text that parses to the same. */
export function labelRequirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'missing':
      return `!${key}`;
    case 'in':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'notin':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

const MAX_INT64 = 9_223_372_036_854_775_807n;

/** A decimal 64-bit integer as Go's `strconv.ParseInt` reads it. */
export function toInt64(text: string): bigint | undefined {
  if (text.length > 64 || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value > MAX_INT64 || value < -MAX_INT64 - 1n ? undefined : value;
}
