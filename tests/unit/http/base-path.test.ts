import { describe, expect, test } from 'vitest';
import { basePathFault, normalizeBasePath, stripBasePath } from '../../../src/http/base-path.js';

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
  ])('%s without "%s"', (target, basePath, expected) => {
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
])('normalizes %s', (value, expected) => {
  expect(normalizeBasePath(value)).toBe(expected);
});

test('says what is wrong with a base path', () => {
  expect([undefined, '', '/', '/a/b'].map(basePathFault)).toEqual([undefined, undefined, undefined, undefined]);
  for (const bad of ['a', '/a?b', '/a#b', '/a b', 7, null]) expect(basePathFault(bad)).toMatch(/basePath must be/);
});
