/** How unknown and duplicate fields are treated: not at all, with a warning, or as an error. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The words of an error that lists strict errors. */
export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

/** The duplicate keys of a YAML text as the one error Go's YAML library makes of them. */
export function yamlStrictText(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join('\n')}`;
}
