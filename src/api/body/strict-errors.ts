import { goQuote } from '../../json/go-quote.js';
import { shorten } from '../../json/shorten.js';

/** How unknown and duplicate fields are treated: not at all, with a warning, or as an error. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** No more strict errors than these are told about one object or one patch, as in Kubernetes. */
export const MAX_STRICT_ERRORS = 100;

/** A field that is unknown or came twice. `path` is shown by its beginning: its keys are the client's. */
export function strictError(what: 'unknown' | 'duplicate', path: string): string {
  return `${what} field ${goQuote(shorten(path))}`;
}

/** The words of an error that lists strict errors. */
export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

/** The duplicate keys of a YAML text as the one error Go's YAML library makes of them. */
export function yamlStrictText(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
}
