import { describe, expect, it } from 'vitest';
import { intentError } from '../../../../src/api/managed-fields/check-intent.js';
import { eventShape } from '../../../../src/events/resource/schema.js';

const START = '.note: expected string, got &value.valueUnstructured{Value:';
const LIST = '[]interface {}{';
const MAP = 'map[string]interface {}{';
const long = 'x'.repeat(1000);

const errorOf = (note: unknown): string | undefined => intentError({ note }, eventShape());

describe('a value of the wrong type', () => {
  it.each<[string, unknown, string]>([
    ['a list with a long text', [long], `${LIST}"${long}`],
    ['a list with a long text of escapes', ['\u0085'.repeat(1000)], `${LIST}"${'\\u0085'.repeat(50)}`],
    ['a list of lists', [['a', [long]]], `${LIST}${LIST}"a", ${LIST}"${long}`],
    ['an object with a long key', { [long]: 'a' }, `${MAP}"${long}`],
    ['an object with a long text', { a: { b: long } }, `${MAP}"a":${MAP}"b":"${long}`],
    ['a list of short texts', Array.from({ length: 999 }, () => 'a'), `${LIST}${'"a", '.repeat(100)}`],
  ])('is shown up to 256 characters: %s', (_, note, text) => {
    expect(errorOf(note)).toBe(`${START}${text.slice(0, 256)}...}`);
  });

  it.each<[string, (items: string[]) => unknown]>([
    ['a list', (items) => items],
    ['an object', (items) => ({ ...items })],
  ])('is not read further than it is shown: %s', (_, make) => {
    const note = make(Array.from({ length: 300 }, () => 'a')) as object;
    let reads = 0;
    const get = (): string => `${reads++}`;
    for (let index = 0; index < 300; index++) Object.defineProperty(note, index, { get, enumerable: true });
    expect(errorOf(note)).toContain('"0"');
    expect(reads).toBeLessThan(60);
  });
});
