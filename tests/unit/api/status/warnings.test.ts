import { describe, expect, it } from 'vitest';
import { warningHeader } from '../../../../src/api/status/warnings.js';

/** As the bytes of UTF-8, one character each. */
const sent = (text: string): string => `299 - "${Buffer.from(text).toString('latin1')}"`;

describe('warnings', () => {
  it('are sent once each, without those that no header can carry', () => {
    expect(warningHeader(['a', 'b"\\', 'a', '', 'c\n'])).toEqual([sent('a'), sent('b\\"\\\\')]);
  });

  it.each([
    ['ASCII', 'x'],
    ['umlauts', 'ä'],
    ['emoji', '😀'],
  ])('of 4,096 characters are sent whole, longer ones up to 256: %s', (_, character) => {
    expect(warningHeader([character.repeat(4096)])).toEqual([sent(character.repeat(4096))]);
    for (const length of [4097, 100_000]) {
      expect(warningHeader(['a', character.repeat(length)])).toEqual([sent('a'), sent(character.repeat(256))]);
    }
  });

  it('are omitted where even the short ones do not fit', () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(1000, 'x'));
    expect(warningHeader(texts)).toEqual(texts.slice(0, 16).map((text) => sent(text.slice(0, 256))));
  });
});
