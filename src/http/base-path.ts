import type { OptionRule } from '../options/check-options.js';
import { mustBe } from '../options/rules.js';
import { originForm } from './url.js';

/** The option rule of a base path, written as clients send it (percent-encoded), without query and fragment. */
export const aBasePath: OptionRule = /* @__PURE__ */ mustBe(
  (value) => typeof value === 'string' && (value === '' || (value.startsWith('/') && !/[?#\s]/.test(value))),
  'a path such as "/internal": it begins with "/" and has no "?", "#" or white space',
);

/** The form {@link stripBasePath} takes: without trailing slashes; empty for none. */
export function normalizeBasePath(value: string | undefined): string {
  return (value ?? '').replace(/\/+$/, '');
}

/** The request target without a mount's base path, `undefined` if it lies outside. Exact: case and escapes matter. */
export function stripBasePath(target: string, basePath: string): string | undefined {
  const url = originForm(target);
  if (basePath === '') return url;
  if (!url.startsWith(basePath)) return undefined;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : undefined;
}
