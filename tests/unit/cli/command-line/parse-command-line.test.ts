import { describe, expect, it } from 'vitest';
import {
  helpText,
  parseCommandLine,
  refuseUnencryptedToken,
  type FlagTable,
  durationWithin,
  wholeNumberWithin,
  oneOf,
  readNonEmpty,
} from '../../../../src/cli/command-line/parse-command-line.js';

interface Values {
  readonly count: number;
  readonly loud: boolean;
  readonly secret: string;
  readonly label: string | undefined;
  readonly limit: number;
}

const flags: FlagTable<Values> = {
  count: { short: 'c', value: 'n', fallback: '3', help: 'How many.', read: wholeNumberWithin(1, 999_999_999) },
  loud: { short: 'l', help: 'Whether it is loud.' },
  secret: { value: 'text', fallback: 'x', help: 'A text.', read: readNonEmpty, quote: () => '…' },
  label: { value: 'text', help: 'A label.' },
  limit: { value: 'n', fallback: '0', shownDefault: 'none', help: 'A limit.', read: Number },
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
    expect(parse([])).toEqual({
      flags: { count: 3, loud: false, secret: 'x', label: undefined, limit: 0 },
      operands: [],
    });
    expect(parse(['--label', 'a'])).toMatchObject({ flags: { label: 'a' } });
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

  it('changes no value that looks like a flag', () => {
    expect(parse(['--secret', '-l=true'])).toMatchObject({ flags: { secret: '-l=true', loud: false } });
    expect(parse(['-c', '-l=1'])).toMatchObject({
      error: expect.stringContaining('invalid argument "-l=1"') as string,
    });
    expect(parse(['a', '-lc', '-l=1', 'b'], ['FROM', 'TO'])).toMatchObject({
      error: expect.stringContaining('invalid argument "-l=1"') as string,
    });
    expect(parse(['--secret=a-c=5'])).toMatchObject({ flags: { secret: 'a-c=5', count: 3 } });
    expect(parse(['-c5=5'])).toMatchObject({ error: expect.stringContaining('invalid argument "5=5"') as string });
  });

  it('reports a flag without its value, and the end of flags', () => {
    expect(parse(['--count'])).toEqual({ error: 'flag needs an argument: --count' });
    expect(parse(['-c'])).toEqual({ error: 'flag needs an argument: -c' });
    expect(parse(['--', 'a'], ['FROM'])).toEqual({ error: 'unexpected argument "--"' });
  });

  it('reads a boolean as Go does', () => {
    for (const word of ['1', 't', 'T', 'true', 'TRUE', 'True']) {
      expect(parse([`--loud=${word}`])).toMatchObject({ flags: { loud: true } });
    }
    for (const word of ['0', 'f', 'F', 'false', 'FALSE', 'False']) {
      expect(parse(['--loud', `--loud=${word}`])).toMatchObject({ flags: { loud: false } });
    }
    for (const word of ['10', '01', 'tRUE', 'truth', 'untrue', 'falsehood', '']) {
      const error = `invalid argument "${word}" for "--loud" flag: must be true or false`;
      expect(parse([`--loud=${word}`])).toEqual({ error });
    }
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

describe('helpText', () => {
  it('describes a command and its flags, with their letters, values and defaults', () => {
    expect(helpText(['Counts.', 'Loudly.'], 'count FROM', flags)).toBe(`Counts.
Loudly.

Usage: kube-vitals count FROM [flags]

  -c, --count n
      How many. (default 3)

  -l, --loud[=true|false]
      Whether it is loud. (default false)

  --secret text
      A text. (default x)

  --label text
      A label.

  --limit n
      A limit. (default none)

  --help
      Prints this help.
`);
  });
});

describe('refuseUnencryptedToken', () => {
  const refusal = '--token-file needs an https URL: a token is not sent unencrypted over a network';

  it.each(['https://10.0.0.1/', 'http://localhost:80/', 'http://127.0.0.1/', 'http://127.255.0.10/', 'http://[::1]/'])(
    'allows a token for %s',
    (url) => {
      expect(() => refuseUnencryptedToken(new URL(url))).not.toThrow();
    },
  );

  it.each([
    'http://10.0.0.1/',
    'http://localhost.example.com/',
    'http://notlocalhost/',
    'http://127.0.0.1.example.com/',
    'http://127.0.a.b/',
    'http://[::1:0:1]/',
  ])('refuses a token for %s', (url) => {
    expect(() => refuseUnencryptedToken(new URL(url))).toThrow(refusal);
  });
});

describe('the readers of values', () => {
  it('parse durations as Go does, with its texts', () => {
    const readDuration = durationWithin(0, Infinity, 'at least 0s');
    expect(readDuration('1h30m')).toBe(5_400_000);
    expect(() => readDuration('5')).toThrow('time: missing unit in duration "5"');
  });

  it('accept the bounds of a duration, and nothing beyond them', () => {
    const readDuration = durationWithin(1, 1_000, 'from 1ms to 1s');
    expect(['1ms', '1s'].map(readDuration)).toEqual([1, 1_000]);
    for (const text of ['0s', '999us', '1001ms', '-1s'])
      expect(() => readDuration(text)).toThrow('must be from 1ms to 1s');
  });

  it('accept the bounds of a whole number, and nothing beyond them', () => {
    const readNumber = wholeNumberWithin(1, 9);
    expect(['1', '9', '09'].map(readNumber)).toEqual([1, 9, 9]);
    for (const text of ['0', '10', '-1', '+1', '1e0', '5x', 'x5', '1.5', '']) {
      expect(() => readNumber(text)).toThrow('must be a whole number from 1 to 9');
    }
  });

  it('accept one of several words', () => {
    expect(oneOf('a', 'b')('b')).toBe('b');
    expect(() => oneOf('a', 'b')('c')).toThrow('must be a or b');
    // The empty word stands for a flag that is absent.
    expect(() => oneOf('', 'a', 'b')('c')).toThrow(/^must be a or b$/);
  });
});
