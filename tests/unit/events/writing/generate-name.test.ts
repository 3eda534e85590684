import { expect, onTestFinished, test, vi } from 'vitest';
import { generateName } from '../../../../src/events/writing/store-new-event.js';

test('five characters of the alphabet without vowels follow the prefix', () => {
  expect(generateName('web-')).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('at most 58 characters of the prefix are kept, so that 63 are never exceeded', () => {
  const base = 'a'.repeat(70);
  expect(generateName(base)).toHaveLength(63);
  expect(generateName(base).slice(0, 58)).toBe(base.slice(0, 58));
});

test('every character of the alphabet comes up, and names differ', () => {
  const names = Array.from({ length: 500 }, () => generateName(''));
  expect(new Set(names.join('')).size).toBe(27);
  expect(new Set(names).size).toBeGreaterThan(490);
});

test('the prefix is cut between two characters, at 58 bytes of UTF-8', () => {
  expect(generateName('\u{1f600}'.repeat(30)).slice(0, -5)).toBe('\u{1f600}'.repeat(14));
  expect(generateName(`a${'é'.repeat(40)}`).slice(0, -5)).toBe(`a${'é'.repeat(28)}`);
  expect(generateName('é'.repeat(29)).slice(0, -5)).toBe('é'.repeat(29));
});

test('random bytes beyond the last whole round of the alphabet are passed over, so that no character is likelier', () => {
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    (array as Uint8Array).set([242, 243, 255, 0, 27, 26, 1]);
    return array;
  });
  onTestFinished(() => random.mockRestore());
  expect(generateName('')).toBe('9bb9c');
});
