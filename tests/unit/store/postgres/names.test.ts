import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOfText, keyText } from '../../../../src/store/contract/keys.js';
import { aSchemaName, beforeNul, checkKey, indexed, isStorable } from '../../../../src/store/postgres/names.js';

describe('names and texts in PostgreSQL', () => {
  test('are unchanged after a round trip as keys', () => {
    const part = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('/'));
    fc.assert(
      fc.property(part, part, (namespace, name) => {
        expect(keyOfText(keyText({ namespace, name }))).toEqual({ namespace, name });
      }),
    );
  });

  test('sort like the text before their NUL character when they are positions', () => {
    const stored = fc.string({ unit: 'binary-ascii' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(stored, fc.string({ unit: 'binary-ascii' }), stored, (head, tail, other) => {
        const position = `${head}\0${tail}`;
        // Behind the position, or at its beginning: nothing lies between the two.
        expect(other > beforeNul(position)).toBe(other > position);
      }),
    );
  });

  test('are shortened for the index to texts that PostgreSQL accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (value) => {
        const text = indexed(value);
        expect(text === null).toBe(value === '');
        expect((text ?? '').length).toBeLessThanOrEqual(200);
        expect(text ?? '').not.toContain('\0');
        expect(new TextDecoder().decode(new TextEncoder().encode(text ?? ''))).toBe(text ?? '');
      }),
    );
    expect(indexed('\ud800x\0')).toBe('\ufffdx\ufffd');
  });

  test('are invalid if PostgreSQL cannot keep them', () => {
    for (const name of ['a\0', '\ud800', 'a/b', 'x'.repeat(1000)]) {
      expect(() => checkKey({ namespace: 'default', name })).toThrow(expect.objectContaining({ code: 'invalid-key' }));
    }
    checkKey({ namespace: 'n'.repeat(63), name: '😀'.repeat(100) });
  });

  test('are not storable if they would be changed', () => {
    expect(['a', '', '\ufffd', '😀'].map(isStorable)).toEqual([true, true, true, true]);
    expect(['a\0', '\ud83d', '\ude00a'].map(isStorable)).toEqual([false, false, false]);
  });

  test.each(['kube_vitals', 'A', '_x-1'])('may be the schema name %s', (name) => {
    expect(aSchemaName(name, 'schema')).toEqual([]);
  });

  test.each(['', '1a', 'a.b', 'a"', 'pg_x', 'ä', "a'", 5])('may not be the schema name %s', (name) => {
    expect(aSchemaName(name, 'schema')).toEqual([expect.stringMatching(/^schema must /)]);
  });
});
