import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  aSchemaName,
  beforeNul,
  checkKey,
  indexed,
  isStorable,
  keyOfText,
  keyText,
} from '../../../../src/store/postgres/names.js';

describe('names and texts', () => {
  test('a key comes back from its column', () => {
    const part = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('/'));
    fc.assert(
      fc.property(part, part, (namespace, name) => {
        expect(keyOfText(keyText({ namespace, name }))).toEqual({ namespace, name });
      }),
    );
  });

  test('a position with a zero character lies where its beginning lies, among texts without one', () => {
    const stored = fc.string({ unit: 'binary-ascii' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(stored, fc.string({ unit: 'binary-ascii' }), stored, (head, tail, other) => {
        const position = `${head}\0${tail}`;
        // Behind the position, or at its beginning: nothing lies between the two.
        expect(other > beforeNul(position)).toBe(other > position);
      }),
    );
  });

  test('indexed values are bounded, and texts that PostgreSQL takes', () => {
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

  test('a key that cannot be kept is invalid', () => {
    for (const name of ['a\0', '\ud800', 'a/b', 'x'.repeat(1000)]) {
      expect(() => checkKey({ namespace: 'default', name })).toThrow(expect.objectContaining({ code: 'invalid-key' }));
    }
    checkKey({ namespace: 'n'.repeat(63), name: '😀'.repeat(100) });
  });

  test('a text that would become another on its way is not storable', () => {
    expect(['a', '', '\ufffd', '😀'].map(isStorable)).toEqual([true, true, true, true]);
    expect(['a\0', '\ud83d', '\ude00a'].map(isStorable)).toEqual([false, false, false]);
  });

  test.each(['kube_vitals', 'A', '_x-1'])('%s is a schema name', (name) => {
    expect(aSchemaName(name, 'schema')).toEqual([]);
  });

  test.each(['', '1a', 'a.b', 'a"', 'pg_x', 'ä', "a'", 5])('%s is none', (name) => {
    expect(aSchemaName(name, 'schema')).toEqual([expect.stringMatching(/^schema must /)]);
  });
});
