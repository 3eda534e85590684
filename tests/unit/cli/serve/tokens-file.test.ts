import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTokensFile } from '../../../../src/cli/serve/tokens-file.js';

const parse = (text: string) => Object.fromEntries(parseTokensFile(text, 'tokens.csv'));

describe('parseTokensFile', () => {
  it('accepts the token file of the conformance corpus unchanged', () => {
    const path = new URL('../../../conformance/corpus/tokens.csv', import.meta.url);
    expect(parse(readFileSync(path, 'utf8'))).toEqual({
      'admin-token': { name: 'admin', uid: '1', groups: ['system:masters'] },
      'viewer-token': { name: 'viewer', uid: '2', groups: [] },
      'jane-token': { name: 'jane', uid: '3', groups: [] },
    });
  });

  it('reads several groups, quotes, Windows line endings and empty lines', () => {
    expect(parse('t,"Doe, ""Jane""",7,"a,b"\r\n\r\nu,bob,8,c,more\r\n')).toEqual({
      t: { name: 'Doe, "Jane"', uid: '7', groups: ['a', 'b'] },
      u: { name: 'bob', uid: '8', groups: ['c'] },
    });
  });

  it('accepts an empty uid and an empty file', () => {
    expect(parse('t,jane,')).toEqual({ t: { name: 'jane', uid: '', groups: [] } });
    expect(parse('')).toEqual({});
  });

  it.each([
    ['t,jane', 'needs at least 3 columns (token, user, uid), has 2'],
    [',jane,1', 'the token must be printable ASCII without spaces, and not empty'],
    ['t t,jane,1', 'the token must be printable ASCII without spaces, and not empty'],
    ['t,,1', 'the user name is empty'],
    ['t,"jane,1', 'a quote is missing or in the wrong place'],
    ['t,ja"ne,1', 'a quote is missing or in the wrong place'],
    ['ok,x,1', 'the token is there twice'],
    ['undefined,x,1', 'the token is the text "undefined", which anybody would guess'],
  ])('reports the line of %j', (line, what) => {
    expect(() => parse(`ok,bob,1\n${line}\n`)).toThrow(`token file tokens.csv, line 2: ${what}`);
  });
});
