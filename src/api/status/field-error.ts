import type { StatusCause } from '../../model/status.js';
import { goQuote, shorten } from '../../json/go-print.js';
import { MAX_STATUS_LENGTH } from './status-failure.js';

/** One broken rule on one field, with the cause reason and text Kubernetes gives it. */
export interface FieldError {
  readonly field: string;
  readonly reason: string;
  readonly text: string;
}

/** Values are shown up to this length, because a value may be a whole event. */
const MAX_VALUE_SHOWN = 4096;

/** Values are shown as JSON, strings as Go quotes them. */
function show(value: unknown): string {
  if (typeof value === 'string') return goQuote(shorten(value, MAX_VALUE_SHOWN));
  return shorten(JSON.stringify(value) ?? 'null', MAX_VALUE_SHOWN);
}

export function required(field: string, detail = ''): FieldError {
  return { field, reason: 'FieldValueRequired', text: detail ? `Required value: ${detail}` : 'Required value' };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', text: `Invalid value: ${show(value)}: ${detail}` };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const text = `Unsupported value: ${show(value)}: supported values: ${supported.map(show).join(', ')}`;
  return { field, reason: 'FieldValueNotSupported', text };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', text: `Forbidden: ${detail}` };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return { field, reason: 'FieldValueTooLong', text: `Too long: may not be more than ${maxBytes} bytes` };
}

export function toCause({ field, reason, text }: FieldError): StatusCause {
  return { reason, message: text, field };
}

/** Several errors as one text: equal ones once, in brackets if more than one remains. */
export function joinFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.text}`))];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** The errors of all items, in order; items after those whose errors fill a Status are not looked at. */
export function collectErrors<T>(
  items: Iterable<T>,
  errorsOf: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  let index = 0;
  let left = MAX_STATUS_LENGTH;
  for (const item of items) {
    for (const error of errorsOf(item, index++)) {
      errors.push(error);
      left -= error.field.length + error.text.length;
    }
    if (left < 0) break;
  }
  return errors;
}
