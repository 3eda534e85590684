import { longerThan } from '../../json/utf8.js';
import { isLabel, isSubdomain } from './name-forms.js';

/* Kubernetes' name rules (apimachinery validation). Each returns every message that applies. Lengths are in UTF-8. */

const SUBDOMAIN = "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'";
const LABEL = "'[a-z0-9]([-a-z0-9]*[a-z0-9])?'";
const QUALIFIED = "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'";
const LABEL_VALUE = "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'";
const ENDS = 'and must start and end with an alphanumeric character';
const QUALIFIED_RULE = `must consist of alphanumeric characters, '-', '_' or '.', ${ENDS} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is ${QUALIFIED})`;

const MESSAGES = {
  subdomain: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ENDS} (e.g. 'example.com', regex used for validation is ${SUBDOMAIN})`,
  label: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ENDS} (e.g. 'my-name',  or '123-abc', regex used for validation is ${LABEL})`,
  dots: 'must not contain dots',
  namePart: `name part ${QUALIFIED_RULE}`,
  slashes: `a valid label key ${QUALIFIED_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  labelValue: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ENDS} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is ${LABEL_VALUE})`,
} as const;

/** DNS-1123 subdomain: what most names must be. At most 253 bytes. */
export function subdomainErrors(value: string): string[] {
  const faults = longerThan(value, 253) ? ['must be no more than 253 characters'] : [];
  if (!isSubdomain(value)) faults.push(MESSAGES.subdomain);
  return faults;
}

/** DNS-1123 label: what a namespace must be. At most 63 bytes. */
export function dnsLabelErrors(value: string): string[] {
  const faults = longerThan(value, 63) ? ['must be no more than 63 characters'] : [];
  if (!isLabel(value)) faults.push(isSubdomain(value) ? MESSAGES.dots : MESSAGES.label);
  return faults;
}

/** Qualified name, `name` or `example.com/name`: label and annotation keys, finalizers, reporting controllers. */
export function qualifiedNameErrors(value: string): string[] {
  const slash = value.indexOf('/');
  if (value.includes('/', slash + 1)) return [MESSAGES.slashes];
  const faults = slash === -1 ? [] : prefixFaults(value.slice(0, slash));
  const name = value.slice(slash + 1);
  if (name === '') faults.push('name part must be non-empty');
  else if (longerThan(name, 63)) faults.push('name part must be no more than 63 bytes');
  if (!hasNameCharacters(name)) faults.push(MESSAGES.namePart);
  return faults;
}

const NAME_CHARACTERS = /^[A-Za-z0-9][-_.A-Za-z0-9]*$/;

/** Like `isNamePart` of `name-forms.ts`, in a tenth of its time for a text of megabytes. */
function hasNameCharacters(text: string): boolean {
  return NAME_CHARACTERS.test(text) && /[A-Za-z0-9]/.test(text.slice(-1));
}

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const faults = longerThan(prefix, 253) ? ['prefix part must be no more than 253 bytes'] : [];
  if (!isSubdomain(prefix)) faults.push(`prefix part ${MESSAGES.subdomain}`);
  return faults;
}

export function labelValueErrors(value: string): string[] {
  const faults = longerThan(value, 63) ? ['must be no more than 63 bytes'] : [];
  if (value !== '' && !hasNameCharacters(value)) faults.push(MESSAGES.labelValue);
  return faults;
}

/** Text that can be one segment of a path: the minimum for any name. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return pathSegmentPrefixErrors(value);
}

/** A name with the rules of a path segment, no longer than stores and continue tokens allow. */
export function pathSegmentNameErrors(value: string): string[] {
  const faults = longerThan(value, 253) ? ['must be no more than 253 characters'] : [];
  faults.push(...pathSegmentErrors(value));
  if (/[\0\ud800-\udfff]/u.test(value)) faults.push('may not contain NUL characters or unpaired surrogates');
  return faults;
}

/** For text that something will be appended to, so that `.` and `..` are allowed. */
export function pathSegmentPrefixErrors(value: string): string[] {
  return ['/', '%']
    .filter((character) => value.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** As {@link subdomainErrors}, for text that something will be appended to: it may end in `-`. */
export function subdomainPrefixErrors(value: string): string[] {
  return subdomainErrors(value.length > 1 && value.endsWith('-') ? `${value.slice(0, -2)}a` : value);
}
