import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContinueToken, writeContinueToken } from '../../../../src/api/options/continue-token.js';
import { readDeleteQuery, checkDeleteOptions } from '../../../../src/api/options/delete-options.js';
import { readListOptions } from '../../../../src/api/options/list-options.js';
import { flag, integer, toRevision, uintError } from '../../../../src/api/options/query.js';
import { readWriteOptions } from '../../../../src/api/options/write-options.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { parseQuery } from '../../../../src/http/url.js';

const message = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return isStatusFailure(error)
      ? `${error.status.code} ${error.status.message}`
      : `not a StatusFailure: ${String(error)}`;
  }
  return 'accepted';
};

describe('query values', () => {
  it('parse booleans leniently: only 0 and false, in any case, are false', () => {
    for (const text of ['0', 'false', 'FALSE', 'False']) expect(flag(parseQuery(`watch=${text}`), 'watch')).toBe(false);
    for (const text of ['1', 'true', '', 'no', 'maybe']) expect(flag(parseQuery(`watch=${text}`), 'watch')).toBe(true);
    expect(flag(parseQuery(''), 'watch')).toBeUndefined();
  });

  it('use the first value of a repeated parameter', () => {
    expect(integer(parseQuery('limit=1&limit=abc'), 'limit')).toBe(1);
  });

  it.each([
    ['', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['abc', 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['ä\u0001\x7f', 'strconv.ParseInt: parsing "ä\\x01\\x7f": invalid syntax'],
    ['1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['99999999999999999999', 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ])('reject the integer %j with 400', (text, expected) => {
    expect(message(() => integer(parseQuery(`limit=${encodeURIComponent(text)}`), 'limit'))).toBe(`400 ${expected}`);
  });

  it('bring integers beyond the safe range to its nearest end', () => {
    expect(integer(parseQuery('limit=9223372036854775807'), 'limit')).toBe(Number.MAX_SAFE_INTEGER);
    expect(integer(parseQuery('limit=-9223372036854775808'), 'limit')).toBe(Number.MIN_SAFE_INTEGER);
  });
});

describe('resource versions', () => {
  it('are unsigned 64-bit numbers', () => {
    expect(uintError('0')).toBeUndefined();
    expect(uintError('18446744073709551615')).toBeUndefined();
    expect(uintError('18446744073709551616')).toBe(
      'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    );
    for (const text of ['100000000000000000000', '99999999999999999999', `1${'0'.repeat(250)}`]) {
      expect(uintError(text)).toBe(`strconv.ParseUint: parsing "${text}": value out of range`);
    }
    for (const text of ['0', '007', '18446744073709551614', `${'0'.repeat(30)}1`])
      expect(uintError(text)).toBeUndefined();
    for (const text of ['', '-1', 'x', '1.0', ' 1']) expect(uintError(text)).toContain('invalid syntax');
    expect(toRevision('18446744073709551615')).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('list options', () => {
  const read = (query: string, legacy = false): unknown => readListOptions(parseQuery(query), legacy);
  const PREFIX = '422 ListOptions.meta.k8s.io "" is invalid: ';

  it.each([
    [
      'resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'resourceVersion=1&resourceVersionMatch=Bogus',
      'resourceVersionMatch: Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'resourceVersion=1&resourceVersionMatch=Exact&continue=abc',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=false', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
    [
      'watch=true&resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=abc',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    [
      'watch=true&sendInitialEvents=true',
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      'watch=true&resourceVersion=5&resourceVersionMatch=NotOlderThan',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      'watch=true&continue=abc',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
  ])('are refused with their error: %s', (query, expected) => {
    expect(message(() => read(query))).toBe(PREFIX + expected);
  });

  it('start a watch without resourceVersion with all existing events', () => {
    expect(read('watch=true')).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    expect(read('', true)).toMatchObject({ sendInitialEvents: true });
    expect(read('watch=true&resourceVersion=7')).toMatchObject({ sendInitialEvents: undefined });
    expect(read('watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan')).toMatchObject({
      sendInitialEvents: false,
    });
  });

  it('check the options of the old watch paths like those of a list', () => {
    expect(message(() => read('sendInitialEvents=true', true))).toContain('forbidden for list');
  });

  it('never fail with anything but a client error', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (query, legacy) => {
        expect(message(() => read(query, legacy))).toMatch(/^(accepted|400 |422 )/);
      }),
    );
  });
});

describe('write options', () => {
  it('report every fault in one error', () => {
    const text = message(() =>
      readWriteOptions(parseQuery('dryRun=x&fieldManager=%01&fieldValidation=x&force=1'), 'PatchOptions'),
    );
    expect(text).toBe(
      '422 PatchOptions.meta.k8s.io "" is invalid: [force: Forbidden: may not be specified for non-apply patch, ' +
        'fieldManager: Invalid value: "\\x01": invalid character U+0001 (at position 0), ' +
        'dryRun: Unsupported value: ["x"]: supported values: "All", ' +
        'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"]',
    );
  });

  it('require a field manager for an apply, and only an apply may be forced', () => {
    const read = (query: string, apply: boolean): unknown => readWriteOptions(parseQuery(query), 'PatchOptions', apply);
    const PREFIX = '422 PatchOptions.meta.k8s.io "" is invalid: ';
    const missing = `${PREFIX}fieldManager: Required value: is required for apply patch`;
    for (const query of ['', 'fieldManager=', 'force=true']) expect(message(() => read(query, true))).toBe(missing);
    expect(read('fieldManager=m&force=true', true)).toMatchObject({ fieldManager: 'm', force: true });
    expect(read('fieldManager=m&force=false', true)).toMatchObject({ force: false });
    expect(read('fieldManager=m', true)).toMatchObject({ force: undefined });
    for (const value of ['true', 'false']) {
      expect(message(() => read(`force=${value}`, false))).toBe(
        `${PREFIX}force: Forbidden: may not be specified for non-apply patch`,
      );
    }
    expect(readWriteOptions(parseQuery('force=true'), 'UpdateOptions')).toMatchObject({ force: undefined });
  });

  it('allow a field manager of at most 128 bytes', () => {
    const read = (manager: string): unknown =>
      readWriteOptions(parseQuery(`fieldManager=${encodeURIComponent(manager)}`), 'CreateOptions');
    expect(read('m'.repeat(128))).toMatchObject({ fieldManager: 'm'.repeat(128) });
    expect(read('é'.repeat(64))).toMatchObject({ fieldManager: 'é'.repeat(64) });
    for (const manager of ['m'.repeat(129), `${'é'.repeat(64)}m`]) {
      expect(message(() => read(manager))).toContain('fieldManager: Too long: may not be more than 128 bytes');
    }
  });

  it('default to the validation Warn', () => {
    expect(readWriteOptions(parseQuery(''), 'CreateOptions')).toMatchObject({ fieldValidation: 'Warn', dryRun: false });
  });
});

describe('delete options', () => {
  it('take preconditions from the query', () => {
    expect(readDeleteQuery(parseQuery('uid=a')).preconditions).toEqual({ uid: 'a', resourceVersion: undefined });
    expect(readDeleteQuery(parseQuery('')).preconditions).toBeUndefined();
    expect(readDeleteQuery(parseQuery('uid=&resourceVersion=')).preconditions).toBeUndefined();
  });

  it('refuse an unknown policy and two that contradict each other', () => {
    expect(message(() => checkDeleteOptions({ propagationPolicy: 'x' }))).toContain(
      'propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    expect(message(() => checkDeleteOptions({ propagationPolicy: 'Orphan', orphanDependents: true }))).toContain(
      'orphanDependents and deletionPropagation cannot be both set',
    );
  });
});

describe('continue tokens', () => {
  it('equal kube-apiserver’s, byte for byte', () => {
    expect(writeContinueToken({ revision: 1042, start: 'web-1.17f0a' })).toBe(
      'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTA0Miwic3RhcnQiOiJ3ZWItMS4xN2YwYVx1MDAwMCJ9',
    );
  });

  it('are unchanged after a round trip', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,40}[a-z0-9]$/);
    fc.assert(
      fc.property(fc.integer({ min: 1 }), name, (revision, start) => {
        expect(readContinueToken(writeContinueToken({ revision, start }))).toEqual({ revision, start });
      }),
    );
  });

  it('name the key before the first one to list', () => {
    const token = (start: string): string =>
      Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: -1, start })).toString('base64url');
    for (const start of ['a', 'web-1', 'default/web-1']) {
      const before = `${start.slice(0, -1)}${start.endsWith('a') ? '`' : '0'}${'\u{10ffff}'.repeat(64)}`;
      expect(readContinueToken(token(start))).toEqual({ revision: -1, start: before });
      expect(readContinueToken(token(`${start}\0`))).toEqual({ revision: -1, start });
    }
  });

  it('are refused with 400 when they are anything else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(message(() => readContinueToken(text))).toMatch(
          /^400 invalid continue token: continue key is not valid: /,
        );
      }),
    );
    const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const refused: [unknown, string][] = [
      [{ v: 'v2', rv: 5, start: 'c' }, 'server does not recognize this encoded version v2'],
      [{ rv: 5 }, 'server does not recognize this encoded version '],
      [{ v: 'meta.k8s.io/v1', rv: 0, start: 'c' }, 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
      [{ v: 'meta.k8s.io/v1', rv: 5, start: '' }, 'encoded start key empty (version meta.k8s.io/v1)'],
      [{ v: 'meta.k8s.io/v1', rv: 5, start: '../x' }, '../x'],
      ...['/x', 'x/', '//', 'x//y', '.', './x', 'x/.', '..', 'x/..', '\0'].map((start): [unknown, string] => [
        { v: 'meta.k8s.io/v1', rv: 5, start },
        start,
      ]),
      [{ v: 'meta.k8s.io/v1', rv: 5, start: 7 }, 'encoded start key empty (version meta.k8s.io/v1)'],
      [
        { v: 'meta.k8s.io/v1', rv: 5.5, start: 'c' },
        'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
      ],
      [
        { v: 'meta.k8s.io/v1', rv: '5', start: 'c' },
        'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
      ],
      [null, 'server does not recognize this encoded version '],
    ];
    const texts: [string, string][] = [
      ['a+b', 'illegal base64 data at input byte 1'],
      ['ab/d', 'illegal base64 data at input byte 2'],
      ['abcd=', 'illegal base64 data at input byte 4'],
      ['abcde', 'illegal base64 data at input byte 4'],
      [Buffer.from('no JSON').toString('base64url'), 'the token is not JSON'],
      [Buffer.from([0x22, 0xff, 0x22]).toString('base64url'), 'the token is not JSON'],
      ['a'.repeat(8_193), 'the token is too long'],
      ['a'.repeat(8_192), 'the token is not JSON'],
    ];
    for (const [text, why] of texts) {
      expect(message(() => readContinueToken(text))).toBe(
        `400 invalid continue token: continue key is not valid: ${why}`,
      );
    }
    for (const [value, why] of refused) {
      expect(message(() => readContinueToken(token(value)))).toBe(
        `400 invalid continue token: continue key is not valid: ${why}`,
      );
    }
  });
});
