import { describe, expect, test } from 'vitest';
import { aBasePath, normalizeBasePath, stripBasePath } from '../../../src/http/base-path.js';

describe('stripBasePath', () => {
  test.each([
    ['/readyz?verbose', '', '/readyz?verbose'],
    ['/in/readyz?verbose', '/in', '/readyz?verbose'],
    ['/in', '/in', '/'],
    ['/in?verbose', '/in', '/?verbose'],
    ['/in/', '/in', '/'],
    ['http://host/in/readyz', '/in', '/readyz'],
    ['/inside/readyz', '/in', undefined],
    ['/IN/readyz', '/in', undefined],
    ['/i%6E/readyz', '/in', undefined],
    ['/readyz', '/in', undefined],
  ])('removes the base path of %s: "%s"', (target, basePath, expected) => {
    expect(stripBasePath(target, basePath)).toBe(expected);
  });
});

test.each([
  [undefined, ''],
  ['', ''],
  ['/', ''],
  ['/in/', '/in'],
  ['/in//', '/in'],
  ['/a/b', '/a/b'],
])('normalizeBasePath normalizes the base path %s', (value, expected) => {
  expect(normalizeBasePath(value)).toBe(expected);
});

test('aBasePath reports what is wrong with a base path', () => {
  for (const good of [undefined, '', '/', '/a/b']) expect(aBasePath(good, 'basePath')).toEqual([]);
  for (const bad of ['a', '/a?b', '/a#b', '/a b', 7, null]) {
    expect(aBasePath(bad, 'basePath')).toEqual([expect.stringMatching(/^basePath must be a path such as/)]);
  }
});
