import type { FieldError } from '../status/field-error.js';

/** About how many errors a list reports: many small faults must not make the response many times larger than the body. */
const MAX_ERRORS = 1000;

/** The errors of all items, in order; items after the first thousand errors are not looked at. */
export function collectErrors<T>(
  items: Iterable<T>,
  errorsOf: (item: T, index: number) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  let index = 0;
  for (const item of items) {
    errors.push(...errorsOf(item, index++));
    if (errors.length >= MAX_ERRORS) break;
  }
  return errors;
}
