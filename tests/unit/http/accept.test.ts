import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsExactly, clauseCovers, parseAccept } from '../../../src/http/accept.js';

const names = (header: string): string[] => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

describe('parseAccept', () => {
  it('orders clauses by weight, then by specificity, then by position', () => {
    expect(names('*/*, application/*, application/yaml, application/json')).toEqual([
      'application/yaml',
      'application/json',
      'application/*',
      '*/*',
    ]);
    expect(names('application/json;q=0.1, */*;q=0.9')).toEqual(['*/*', 'application/json']);
    expect(names('application/json;q=0.1 , */*;q=0.9 ')).toEqual(['*/*', 'application/json']);
  });

  it('keeps parameters, trimmed, without q', () => {
    const [clause] = parseAccept(' application/json ; as = Table;v=v1; g=meta.k8s.io;q=0.5');
    expect(clause).toMatchObject({ type: 'application', subtype: 'json', q: 0.5 });
    expect(Object.fromEntries(clause?.params ?? [])).toEqual({ as: 'Table', v: 'v1', g: 'meta.k8s.io' });
  });

  it('ignores parameters that are not name=value', () => {
    const [clause] = parseAccept('application/json; foo; a=; b=c=d; ok=1');
    expect([...(clause?.params ?? [])]).toEqual([['ok', '1']]);
  });

  it('reads an invalid weight as 0 and keeps the clause', () => {
    expect(parseAccept('a/b;q=abc, c/d;q= 1').map(({ q }) => q)).toEqual([0, 0]);
    expect(names('a/b;q=0')).toEqual(['a/b']);
    expect(parseAccept('a/b;q=.5')[0]?.q).toBe(0.5);
    expect(parseAccept('a/b;q=1e-1')[0]?.q).toBe(0.1);
  });

  it('ignores invalid media ranges, and reads a lone * as */*', () => {
    expect(names('json, a/b/c, /x, a/, , *')).toEqual(['*/*']);
  });

  it('returns nothing for more than 128 clauses or 8,192 characters', () => {
    const most = `${'a/b,'.repeat(127)}c/d`;
    expect(parseAccept(most)).toHaveLength(128);
    expect(acceptsExactly(most, ['c/d'])).toBe(true);
    for (const header of [`${most},*/*`, `*/*;a=${'x'.repeat(8_192)}`]) {
      expect(parseAccept(header)).toEqual([]);
      expect(acceptsExactly(header, ['c/d'])).toBe(false);
    }
  });

  it('never throws and never invents clauses', () => {
    fc.assert(
      fc.property(fc.string(), (header) => parseAccept(header).length <= header.split(',').length),
      { numRuns: 300 },
    );
  });

  it('treats a __proto__ parameter as plain data', () => {
    const [clause] = parseAccept('a/b;__proto__=x;constructor=y');
    expect(clause?.params.get('__proto__')).toBe('x');
    expect(clause?.params.get('as')).toBeUndefined();
  });
});

describe('clauseCovers', () => {
  const covers = (range: string, type: string): boolean => {
    const [clause] = parseAccept(range);
    return clause !== undefined && clauseCovers(clause, type);
  };

  it.each([
    ['application/json', true],
    ['application/*', true],
    ['*/*', true],
    ['*', true],
    ['APPLICATION/JSON', false],
    ['app/*', false],
    ['*/json', false],
    ['text/json', false],
  ])('compares %s with application/json: %s', (range, expected) => {
    expect(covers(range, 'application/json')).toBe(expected);
  });
});

describe('acceptsExactly', () => {
  const types = ['application/json', 'application/yaml'];

  it.each([
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/json', true],
    ['text/html, application/yaml;q=0', true],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', true],
    ['application/*', false],
    ['APPLICATION/JSON', false],
    ['text/html', false],
    ['application/jsonx', false],
  ])('checks the header %s: %s', (header, expected) => {
    expect(acceptsExactly(header, types)).toBe(expected);
  });
});
