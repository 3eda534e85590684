import { describe, expect, it } from 'vitest';
import {
  parseCommandLine,
  type FlagTable,
  durationWithin,
  wholeNumberWithin,
  oneOf,
  readNonEmpty,
} from '../../../../src/cli/command-line/parse-command-line.js';

const flags: FlagTable<{ readonly count: number; readonly loud: boolean; readonly secret: string }> = {
  count: { short: 'c', value: 'n', fallback: '3', help: 'How many.', read: wholeNumberWithin(1, 999_999_999) },
  loud: { short: 'l', help: 'Whether it is loud.' },
  secret: { value: 'text', fallback: 'x', help: 'A text.', read: readNonEmpty, quote: () => '…' },
};

function parse(argv: string[], operands: string[] = []): unknown {
  try {
    return parseCommandLine(flags, operands, argv);
  } catch (error) {
    return { error: (error as Error).message };
  }
}

describe('parseCommandLine', () => {
  it('fills in the defaults, and reads each form of a flag', () => {
    expect(parse([])).toEqual({ flags: { count: 3, loud: false, secret: 'x' }, operands: [] });
    expect(parse(['--count', '4', '--loud'])).toMatchObject({ flags: { count: 4, loud: true } });
    expect(parse(['--count=5', '--loud=0'])).toMatchObject({ flags: { count: 5, loud: false } });
    expect(parse(['--secret', '--loud'])).toMatchObject({ flags: { secret: '--loud', loud: false } });
  });

  it('reads the value of a letter behind it, behind = and in the next word', () => {
    for (const words of [['-c5'], ['-c=5'], ['-c', '5']]) expect(parse(words)).toMatchObject({ flags: { count: 5 } });
    for (const words of [['-lc5'], ['-lc=5'], ['-lc', '5']]) {
      expect(parse(words)).toMatchObject({ flags: { count: 5, loud: true } });
    }
    expect(parse(['--count==5'])).toMatchObject({ error: expect.stringContaining('invalid argument "=5"') as string });
    expect(parse(['-c', '=5'])).toMatchObject({ error: expect.stringContaining('invalid argument "=5"') as string });
  });

  it('reads the value of a boolean letter behind =', () => {
    expect(parse(['-l=true'])).toMatchObject({ flags: { loud: true } });
    expect(parse(['-l', '-l=false'])).toMatchObject({ flags: { loud: false } });
    expect(parse(['-l=x'])).toMatchObject({ error: expect.stringContaining('invalid argument "x" for "--loud"') as string }); // prettier-ignore
    expect(parse(['-x=1'])).toEqual({ error: 'unexpected argument "-x"' });
  });

  it('reads operands before and after flags', () => {
    expect(parse(['a', '--loud', 'b'], ['FROM', 'TO'])).toMatchObject({ operands: ['a', 'b'], flags: { loud: true } });
    expect(parse(['a', 'b', 'c'], ['FROM', 'TO'])).toEqual({ error: 'unexpected argument "c"' });
    expect(parse(['a'], ['FROM', 'TO'])).toEqual({ error: 'missing argument: TO' });
    expect(parse([], ['FROM', 'TO'])).toEqual({ error: 'missing arguments: FROM TO' });
  });

  it('stops at --help, and at an error before it', () => {
    expect(parse(['--help', '--nope'])).toEqual({ helpWanted: true });
    expect(parse(['--nope', '--help'])).toEqual({ error: 'unknown flag: --nope' });
    expect(parse(['-h'], ['FROM'])).toEqual({ helpWanted: true });
  });

  it('reports an invalid value, without what may be secret', () => {
    expect(parse(['--count=0'])).toEqual({
      error: 'invalid argument "0" for "--count" flag: must be a whole number from 1 to 999999999',
    });
    expect(parse(['--secret='])).toEqual({ error: 'invalid argument "…" for "--secret" flag: must not be empty' });
    expect(parse(['--no-loud'])).toEqual({ error: 'unknown flag: --no-loud' });
    expect(parse(['--toString'])).toEqual({ error: 'unknown flag: --toString' });
  });
});

describe('the readers of values', () => {
  it('parse durations as Go does, with its texts', () => {
    const readDuration = durationWithin(0, Infinity, 'at least 0s');
    expect(readDuration('1h30m')).toBe(5_400_000);
    expect(() => readDuration('5')).toThrow('time: missing unit in duration "5"');
  });

  it('accept one of several words', () => {
    expect(oneOf('a', 'b')('b')).toBe('b');
    expect(() => oneOf('a', 'b')('c')).toThrow('must be a or b');
    // The empty word stands for a flag that is absent.
    expect(() => oneOf('', 'a', 'b')('c')).toThrow(/^must be a or b$/);
  });
});
