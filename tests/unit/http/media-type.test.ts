import { describe, expect, it } from 'vitest';
import { parseMediaType } from '../../../src/http/media-type.js';

/** Headers and what `mime.ParseMediaType` of Go 1.26 makes of them. Only case and parameters differ from these types. */
const READ: readonly (readonly [header: string, mediaType: string])[] = [
  ['application/json', 'application/json'],
  ['application/json;', 'application/json'],
  ['application/json; ', 'application/json'],
  ['application/json ;', 'application/json'],
  ['application/json;charset=utf-8;', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json;charset=utf-8', 'application/json'],
  ['application/json ; charset=utf-8', 'application/json'],
  ['application/json; charset = utf-8', 'application/json'],
  ['application/json; charset=""', 'application/json'],
  ['application/json; charset="utf-8"', 'application/json'],
  ['application/json; charset="utf\\"-8"', 'application/json'],
  ['application/json; charset="a;b=c"', 'application/json'],
  ['application/json; charset="a" ;b=c', 'application/json'],
  ['application/json; charset=utf-8; charset=utf-8', 'application/json'],
  ['application/json; charset=utf-8; CHARSET=utf-8', 'application/json'],
  ['application/json; charset=utf-8; charset="utf-8"', 'application/json'],
  ["application/json; charset='utf-8'", 'application/json'],
  ['application/json; charset="é"', 'application/json'],
  ['APPLICATION/JSON; Charset=UTF-8', 'application/json'],
  ["application/json; title*=utf-8''a", 'application/json'],
  ['application/json; title*0=a; title*1=b', 'application/json'],
  ['application/json; title*=a', 'application/json'],
  ['application/json; *=a', 'application/json'],
  ['application/json;\tcharset=utf-8', 'application/json'],
  ['application/json; a="\\\\"', 'application/json'],
  ['application/json; a={b}', 'application/json'],
  ['application/yaml; charset=utf-8', 'application/yaml'],
  ['application/json; a="\t"', 'application/json'],
  ['application/json; a=%zz', 'application/json'],
  ["application/json; a*=utf-8''%zz", 'application/json'],
  ['application/json;a=b;c=d;e=f', 'application/json'],
  [' application/json', 'application/json'],
  ['application/json;\vcharset=utf-8', 'application/json'],
  ['application/json; a="\\b"', 'application/json'],
  ['application/json; a=`b`', 'application/json'],
  ["application/json; a=b|c~d^e!f#g$h&i*j+k.l_m-n'o`p%q{r}s", 'application/json'],
];

/** Headers that `mime.ParseMediaType` of Go 1.26 refuses. */
const MALFORMED: readonly string[] = [
  'application/json;;',
  'application/json; ;',
  'application/json;; charset=utf-8',
  'application/json;charset=utf-8;;',
  'application/json;charset=utf-8; ;',
  'application/json; charset=',
  'application/json; charset="utf-8',
  'application/json; charset="utf-8\\"',
  'application/json; charset="a"b',
  'application/json; charset=utf-8 b',
  'application/json; charset=utf-8 b=c',
  'application/json; charset=a=b',
  'application/json; =utf-8',
  'application/json; foo',
  'application/json; foo;charset=utf-8',
  'application/json; charset=utf-8; foo',
  'application/json; charset=utf-8; charset=UTF-8',
  'application/json; charset=utf-8; charset=latin1',
  'application/json; charset=utf/8',
  'application/json; cha rset=utf-8',
  'application/json; char(set)=utf-8',
  'application/json; charset=é',
  'application/json, application/json',
  'application/json; charset=utf-8, application/json',
  'application/json foo',
  'application / json',
  'application/json/',
  'application/',
  '/json',
  ';charset=utf-8',
  ';',
  'application/json; title*0=a; title*0=b',
  'application/json; a="b\\',
  'application/yaml;;',
  'application/vnd.kubernetes.protobuf;;',
  '\u00a0application/json',
  'application/json;\u00a0charset=utf-8',
  'application/json; a=1; A=1; a=2',
  'application/json; __proto__=1; __proto__=2',
  'application/json; a="\\"',
  'application/json; charset',
  'application/json; charset;',
  'application/json charset=utf-8',
  'application/json;charset=utf-8"',
  'application/json; a=b@c',
  'application/json; a=[b]',
  'application/json; a=b?c',
];

describe('parseMediaType', () => {
  it.each(READ)('reads the type in %j', (header, mediaType) => {
    expect(parseMediaType(header)).toBe(mediaType);
  });

  it.each(MALFORMED)('refuses the malformed header %j', (header) => {
    expect(parseMediaType(header)).toBeUndefined();
  });

  it('refuses an empty header, and one without a subtype', () => {
    for (const header of ['', ' ', 'application']) expect(parseMediaType(header)).toBeUndefined();
  });

  it('reads at most 1,024 characters', () => {
    const long = (length: number): string => 'a/b;c='.padEnd(length, 'x');
    expect(parseMediaType(long(1_024))).toBe('a/b');
    expect(parseMediaType(long(1_025))).toBeUndefined();
  });
});
