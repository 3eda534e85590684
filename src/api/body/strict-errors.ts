import { goQuote } from '../../json/go-quote.js';
import { shorten } from '../../json/shorten.js';

/** How unknown and duplicate fields are treated: ignored, with a warning, or as an error. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The most strict errors reported for one object or patch, as in Kubernetes. */
export const MAX_STRICT_ERRORS = 100;

/** The error for an unknown or duplicate field. `path` is truncated, because its keys come from the client. */
export function strictError(what: 'unknown' | 'duplicate', path: string): string {
  return `${what} field ${goQuote(shorten(path))}`;
}

/** The text of an error that lists strict errors. */
export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

/** The duplicate keys of a YAML text as one error, like Go's YAML library. */
export function yamlStrictText(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
}
