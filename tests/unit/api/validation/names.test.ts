import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dnsLabelErrors,
  labelValueErrors,
  pathSegmentErrors,
  pathSegmentNameErrors,
  pathSegmentPrefixErrors,
  qualifiedNameErrors,
  subdomainErrors,
  subdomainPrefixErrors,
} from '../../../../src/api/validation/names.js';
import { isApiDomain, isLabelValue, isQualifiedName } from '../../../../src/api/validation/name-forms.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SLASHES =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('subdomainErrors', () => {
  it.each([
    ['a', []],
    ['a.b-c.1', []],
    ['a'.repeat(253), []],
    ['', [SUBDOMAIN]],
    ['Bad', [SUBDOMAIN]],
    ['a.', [SUBDOMAIN]],
    ['a.-b', [SUBDOMAIN]],
    ['a-.b', [SUBDOMAIN]],
    ['a..b', [SUBDOMAIN]],
    ['a\n', [SUBDOMAIN]],
    ['a'.repeat(254), ['must be no more than 253 characters']],
    ['é'.repeat(127), ['must be no more than 253 characters', SUBDOMAIN]],
  ])('checks the name %j', (value, errors) => {
    expect(subdomainErrors(value)).toEqual(errors);
  });

  it('allows a prefix to end in a dash', () => {
    expect(subdomainPrefixErrors('web-')).toEqual([]);
    expect(subdomainPrefixErrors('web.')).toEqual([SUBDOMAIN]);
    expect(subdomainPrefixErrors('-')).toEqual([SUBDOMAIN]);
  });
});

describe('dnsLabelErrors', () => {
  it.each([
    ['a-b', []],
    ['a.b', ['must not contain dots']],
    ['UPPER', [LABEL]],
    ['-a', [LABEL]],
    ['a'.repeat(64), ['must be no more than 63 characters']],
  ])('checks the label %j', (value, errors) => {
    expect(dnsLabelErrors(value)).toEqual(errors);
  });
});

describe('qualifiedNameErrors', () => {
  it.each([
    ['example.com/My_Name.1', []],
    ['a', []],
    ['', ['name part must be non-empty', NAME_PART]],
    ['x/', ['name part must be non-empty', NAME_PART]],
    ['/x', ['prefix part must be non-empty']],
    ['a/b/c', [SLASHES]],
    ['UPPER/x', [`prefix part ${SUBDOMAIN}`]],
    ['-x', [NAME_PART]],
    ['a'.repeat(64), ['name part must be no more than 63 bytes']],
    ['aZ0-_.9'.repeat(10), ['name part must be no more than 63 bytes']],
    [`-${'a'.repeat(64)}`, ['name part must be no more than 63 bytes', NAME_PART]],
    [`${'a'.repeat(64)}.`, ['name part must be no more than 63 bytes', NAME_PART]],
    [`${'a'.repeat(64)}\n`, ['name part must be no more than 63 bytes', NAME_PART]],
    [`${'a'.repeat(64)}ü${'a'.repeat(64)}`, ['name part must be no more than 63 bytes', NAME_PART]],
    [`${'a'.repeat(254)}/x`, ['prefix part must be no more than 253 bytes']],
  ])('checks the name %j', (value, errors) => {
    expect(qualifiedNameErrors(value)).toEqual(errors);
  });
});

describe('labelValueErrors', () => {
  it.each([
    ['', []],
    ['a', []],
    ['a'.repeat(63), []],
    ['a'.repeat(64), ['must be no more than 63 bytes']],
    ['-v', [VALUE]],
    ['bad value!', [VALUE]],
  ])('checks the value %j', (value, errors) => {
    expect(labelValueErrors(value)).toEqual(errors);
  });
});

describe('pathSegmentErrors', () => {
  it.each([
    ['Foo_Bar', []],
    ['.', ["may not be '.'"]],
    ['..', ["may not be '..'"]],
    ['a/b%c', ["may not contain '/'", "may not contain '%'"]],
  ])('checks the segment %j', (value, errors) => {
    expect(pathSegmentErrors(value)).toEqual(errors);
  });

  it('is less strict with a prefix', () => {
    expect(pathSegmentPrefixErrors('..')).toEqual([]);
  });
});

it('a name that need not be a subdomain is bounded and readable by all stores', () => {
  expect(pathSegmentNameErrors('Ü'.repeat(126))).toEqual([]);
  expect(pathSegmentNameErrors('a'.repeat(253))).toEqual([]);
  expect(pathSegmentNameErrors('Ü'.repeat(127))).toEqual(['must be no more than 253 characters']);
  expect(pathSegmentNameErrors('..')).toEqual(["may not be '..'"]);
  for (const text of ['a\0', '\ud83d']) {
    expect(pathSegmentNameErrors(text)).toEqual(['may not contain NUL characters or unpaired surrogates']);
  }
});

it('an API domain fits into the name of a group', () => {
  const longest = 253 - 'events.'.length;
  expect(isApiDomain('a'.repeat(longest))).toBe(true);
  expect(isApiDomain('a'.repeat(longest + 1))).toBe(false);
  expect(isApiDomain('Example.com')).toBe(false);
});

it('the rules agree with the expressions that their messages quote', () => {
  const text = fc
    .array(fc.constantFrom('a', 'Z', '0', '-', '.', '_', '/', '\n'), { maxLength: 8 })
    .map((c) => c.join(''));
  fc.assert(
    fc.property(text, (value) => {
      expect(subdomainErrors(value).length === 0).toBe(
        /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(value),
      );
      expect(dnsLabelErrors(value).length === 0).toBe(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value));
      expect(labelValueErrors(value).length === 0).toBe(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value));
    }),
  );
});

describe('the fast checks', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '/', 'ü', ' '), maxLength: 8 });
  const long = fc
    .tuple(part, fc.constantFrom(1, 61, 62, 63, 64, 253, 254))
    .map(([text, times]) => text + 'a'.repeat(times));
  const text = fc.oneof(
    part,
    long,
    fc.tuple(long, long).map((both) => both.join('/')),
  );

  it('agree with the rules', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(isQualifiedName(value)).toBe(qualifiedNameErrors(value).length === 0);
        expect(isLabelValue(value)).toBe(labelValueErrors(value).length === 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('agree with the published expressions', () => {
    fc.assert(
      fc.property(text, (value) => {
        const name = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
        expect(isLabelValue(value)).toBe(value === '' || (value.length <= 63 && name.test(value)));
        expect(dnsLabelErrors(value).length === 0).toBe(
          value.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value),
        );
      }),
      { numRuns: 1000 },
    );
  });
});

it('the rules for labels and name parts agree with their expressions', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '/', 'é', '\n'), maxLength: 5 });
  fc.assert(
    fc.property(few, (text) => {
      expect(dnsLabelErrors(text).length === 0).toBe(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text));
      expect(isLabelValue(text)).toBe(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(text));
    }),
    { numRuns: 2000 },
  );
});
