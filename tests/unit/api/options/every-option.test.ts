import { describe, expect, it } from 'vitest';
import { readContinueToken, writeContinueToken } from '../../../../src/api/options/continue-token.js';
import { checkDeleteOptions, readDeleteQuery } from '../../../../src/api/options/delete-options.js';
import { readListOptions } from '../../../../src/api/options/list-options.js';
import {
  integer,
  toRevision,
  uintError,
  REQUEST_TIMEOUT_MS,
  requestTimeoutMs,
} from '../../../../src/api/options/query.js';
import { readWriteOptions } from '../../../../src/api/options/write-options.js';
import { isStatusFailure } from '../../../../src/api/status/status-failure.js';
import { parseQuery } from '../../../../src/http/url.js';

const message = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (isStatusFailure(error)) return `${error.status.code} ${error.status.message}`;
    throw error;
  }
  return 'accepted';
};

describe('an integer in a query', () => {
  const read = (text: string): number | undefined => integer(parseQuery(`limit=${encodeURIComponent(text)}`), 'limit');

  it.each([
    ['0', 0],
    ['12', 12],
    ['+12', 12],
    ['-12', -12],
    ['007', 7],
    ['999999999999999', 999_999_999_999_999],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', Number.MAX_SAFE_INTEGER],
    ['-9007199254740993', Number.MIN_SAFE_INTEGER],
    ['0000000000000000000000042', 42],
  ])('is read: %s', (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each(['1 ', ' 1', 'x1', '1x', '--1', '+', '-', '1e3'])('is refused unless it is digits alone: %j', (text) => {
    expect(message(() => read(text))).toBe(`400 strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  });

  it.each(['-9223372036854775809', '9'.repeat(25), '-'.padEnd(26, '9'), '0'.repeat(26)])(
    'is refused when it is out of range or written with more than 25 characters: %s',
    (text) => {
      expect(message(() => read(text))).toBe(`400 strconv.ParseInt: parsing "${text}": value out of range`);
    },
  );

  it('is undefined when it is not given', () => {
    expect(integer(parseQuery('other=1'), 'limit')).toBeUndefined();
  });
});

describe('a resourceVersion', () => {
  it('may have leading zeros', () => {
    expect(uintError('0000000000000000000000000018446744073709551615')).toBeUndefined();
    expect(uintError('00')).toBeUndefined();
  });

  it.each(['18446744073709551616', '99999999999999999999', '100000000000000000000'])(
    'is refused when it is out of range: %s',
    (text) => {
      expect(uintError(text)).toBe(`strconv.ParseUint: parsing "${text}": value out of range`);
    },
  );

  it.each(['', '1x', 'x1', '+1'])('is refused when it is not a number: %j', (text) => {
    expect(uintError(text)).toBe(`strconv.ParseUint: parsing "${text}": invalid syntax`);
  });

  it('is kept exactly while it is a safe integer', () => {
    expect(toRevision('42')).toBe(42);
    expect(toRevision('9007199254740990')).toBe(9_007_199_254_740_990);
  });
});

describe('the timeout of a request', () => {
  const read = (query: string, most?: number): number => requestTimeoutMs(parseQuery(query), most);

  it('is a minute unless the request has a shorter one', () => {
    expect(REQUEST_TIMEOUT_MS).toBe(60_000);
    expect(read('')).toBe(60_000);
    expect(read('timeout=')).toBe(60_000);
    expect(read('timeout=1500ms')).toBe(1_500);
    expect(read('timeout=59.999s')).toBe(59_999);
    expect(read('timeout=2m')).toBe(60_000);
    expect(read('timeout=0s')).toBe(60_000);
    expect(read('timeout=-5s')).toBe(60_000);
  });

  it("is never longer than the server's limit", () => {
    expect(read('timeout=30s', 10_000)).toBe(10_000);
    expect(read('timeout=9s', 10_000)).toBe(9_000);
    expect(read('', 10_000)).toBe(10_000);
  });

  it('is refused with 400 when it is not a duration', () => {
    expect(message(() => read('timeout=5'))).toMatch(
      /^400 invalid timeout specified in the request URL - .*missing unit/,
    );
  });
});

describe('the options of a list', () => {
  const read = (query: string, legacyWatch?: boolean): unknown => readListOptions(parseQuery(query), legacyWatch);
  const NOTHING = {
    labelSelector: '',
    fieldSelector: '',
    allowWatchBookmarks: false,
    resourceVersion: '',
    resourceVersionMatch: '',
    timeoutSeconds: 0,
    limit: 0,
    continue: '',
    order: '',
    sendInitialEvents: undefined,
  };
  const errors = (...texts: readonly string[]): string =>
    `422 ListOptions.meta.k8s.io "" is invalid: ${texts.length > 1 ? `[${texts.join(', ')}]` : texts[0]}`;
  const forbidden = (text: string): string => `resourceVersionMatch: Forbidden: ${text}`;

  it('are off and empty unless given', () => {
    expect(read('')).toEqual(NOTHING);
    expect(read('watch=0&allowWatchBookmarks=false')).toEqual(NOTHING);
    expect(read('watch=1&resourceVersion=7&allowWatchBookmarks=0')).toMatchObject({ allowWatchBookmarks: false });
  });

  it('are each read from the parameter of their name', () => {
    const query =
      'labelSelector=a&fieldSelector=b&resourceVersion=7&timeoutSeconds=8&limit=9&continue=c&order=newest-first';
    expect(read(query)).toEqual({
      ...NOTHING,
      labelSelector: 'a',
      fieldSelector: 'b',
      resourceVersion: '7',
      timeoutSeconds: 8,
      limit: 9,
      continue: 'c',
      order: 'newest-first',
    });
    expect(read('watch=1&resourceVersion=7&allowWatchBookmarks=1')).toMatchObject({ allowWatchBookmarks: true });
    expect(read('resourceVersion=7&resourceVersionMatch=Exact')).toMatchObject({ resourceVersionMatch: 'Exact' });
    expect(read('resourceVersion=0&resourceVersionMatch=NotOlderThan')).toMatchObject({ resourceVersion: '0' });
  });

  it.each([
    [
      'resourceVersion=7&resourceVersionMatch=NotOlderThan&continue=c',
      [forbidden('resourceVersionMatch is forbidden when continue is provided')],
    ],
    [
      'resourceVersionMatch=X&continue=c&sendInitialEvents=1',
      [
        forbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'),
        forbidden('resourceVersionMatch is forbidden when continue is provided'),
        'resourceVersionMatch: Unsupported value: "X": supported values: "Exact", "NotOlderThan", ""',
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      ],
    ],
  ])('are refused with every fault: %s', (query, texts) => {
    expect(message(() => read(query))).toBe(errors(...texts));
  });

  it('start a watch without resourceVersion, or from 0, with the existing events', () => {
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(read('watch=1')).toEqual({ ...NOTHING, ...initial });
    expect(read('watch=1&resourceVersion=0')).toEqual({ ...NOTHING, ...initial, resourceVersion: '0' });
    expect(read('resourceVersion=0', true)).toEqual({ ...NOTHING, ...initial, resourceVersion: '0' });
    expect(read('resourceVersion=7', true)).toEqual({ ...NOTHING, resourceVersion: '7' });
    expect(read('watch=1&resourceVersion=7')).toEqual({ ...NOTHING, resourceVersion: '7' });
  });

  it('keep the settings of a watch request for initial events', () => {
    const said = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=7';
    expect(read(`watch=1&${said}`)).toMatchObject({ sendInitialEvents: true, resourceVersion: '7' });
    expect(read('watch=1&sendInitialEvents=0&resourceVersionMatch=NotOlderThan')).toMatchObject({
      sendInitialEvents: false,
    });
  });

  it.each([
    [
      'watch=1&resourceVersion=7&resourceVersionMatch=Exact',
      [
        forbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
        'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
      ],
    ],
    [
      'watch=1&sendInitialEvents=1&resourceVersionMatch=Exact&continue=c',
      [
        forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
        'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"',
        forbidden('resourceVersionMatch is forbidden when continue is provided'),
      ],
    ],
    [
      'watch=1&sendInitialEvents=1&resourceVersion=7',
      [forbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')],
    ],
  ])('are refused with every fault for a watch: %s', (query, texts) => {
    expect(message(() => read(query))).toBe(errors(...texts));
  });
});

describe('the options of a write', () => {
  const read = (query: string, kind: 'CreateOptions' | 'PatchOptions' = 'PatchOptions', apply?: boolean): unknown =>
    readWriteOptions(parseQuery(query), kind, apply);
  const NOTHING = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: undefined };
  const PREFIX = '422 PatchOptions.meta.k8s.io "" is invalid: ';

  it('have documented defaults', () => {
    expect(read('')).toEqual(NOTHING);
    expect(read('other=1')).toEqual(NOTHING);
    expect(read('fieldValidation=')).toEqual(NOTHING);
  });

  it.each(['Ignore', 'Warn', 'Strict'])('accept fieldValidation %s', (fieldValidation) => {
    expect(read(`fieldValidation=${fieldValidation}`)).toEqual({ ...NOTHING, fieldValidation });
  });

  it('request a dry run when every value of dryRun is All', () => {
    expect(read('dryRun=All')).toMatchObject({ dryRun: true });
    expect(read('dryRun=All&dryRun=All')).toMatchObject({ dryRun: true });
    for (const query of ['dryRun=', 'dryRun=all', 'dryRun=All&dryRun=x', 'dryRun=x&dryRun=All']) {
      expect(message(() => read(query))).toMatch(/^422 .*dryRun: Unsupported value: .*: supported values: "All"$/);
    }
  });

  it('accept force only with an apply', () => {
    expect(read('fieldManager=m&force=1', 'PatchOptions', true)).toEqual({
      ...NOTHING,
      fieldManager: 'm',
      force: true,
    });
    expect(read('fieldManager=m&force=0', 'PatchOptions', true)).toMatchObject({ force: false });
    expect(read('force=1', 'CreateOptions')).toEqual(NOTHING);
    expect(message(() => read('force=false'))).toBe(
      `${PREFIX}force: Forbidden: may not be specified for non-apply patch`,
    );
  });

  it('require a field manager for an apply', () => {
    const missing = `${PREFIX}fieldManager: Required value: is required for apply patch`;
    expect(message(() => read('', 'PatchOptions', true))).toBe(missing);
    expect(message(() => read('force=1', 'PatchOptions', true))).toBe(missing);
  });

  it('accept a field manager of at most 128 bytes', () => {
    expect(read(`fieldManager=${'m'.repeat(128)}`)).toMatchObject({ fieldManager: 'm'.repeat(128) });
    const tooLong = `${PREFIX}fieldManager: Too long: may not be more than 128 bytes`;
    expect(message(() => read(`fieldManager=${'m'.repeat(129)}`))).toBe(tooLong);
    expect(message(() => read(`fieldManager=${encodeURIComponent('é'.repeat(65))}`))).toBe(tooLong);
  });

  it('accept letters, marks, numbers, punctuation, symbols and spaces in a field manager, and nothing else', () => {
    expect(read(`fieldManager=${encodeURIComponent('é\u0301 9-_/+€')}`)).toMatchObject({
      fieldManager: 'é\u0301 9-_/+€',
    });
    expect(message(() => read(`fieldManager=${encodeURIComponent('é\t')}`))).toContain(
      'invalid character U+0009 (at position 2)',
    );
    expect(message(() => read(`fieldManager=${encodeURIComponent('a\u{e0001}')}`))).toContain(
      'invalid character U+E0001 (at position 1)',
    );
    expect(message(() => read('fieldManager=a%C2%A0b'))).toContain('invalid character U+00A0 (at position 1)');
  });
});

describe('the options of a delete', () => {
  const read = (query: string): unknown => readDeleteQuery(parseQuery(query));
  const NOTHING = {
    gracePeriodSeconds: undefined,
    orphanDependents: undefined,
    propagationPolicy: undefined,
    dryRun: undefined,
    preconditions: undefined,
  };

  it('are each read from the parameter of their name', () => {
    expect(read('')).toEqual(NOTHING);
    expect(read('gracePeriodSeconds=3')).toEqual({ ...NOTHING, gracePeriodSeconds: 3 });
    expect(read('orphanDependents=false')).toEqual({ ...NOTHING, orphanDependents: false });
    expect(read('propagationPolicy=Orphan')).toEqual({ ...NOTHING, propagationPolicy: 'Orphan' });
    expect(read('dryRun=All&dryRun=x')).toEqual({ ...NOTHING, dryRun: ['All', 'x'] });
    expect(read('resourceVersion=7')).toEqual({ ...NOTHING, preconditions: { uid: undefined, resourceVersion: '7' } });
    expect(read('uid=u&resourceVersion=7')).toEqual({ ...NOTHING, preconditions: { uid: 'u', resourceVersion: '7' } });
  });

  it.each(['Foreground', 'Background', 'Orphan'])('accept the policy %s', (propagationPolicy) => {
    expect(message(() => checkDeleteOptions({ propagationPolicy }))).toBe('accepted');
  });

  it('accept orphanDependents alone, and a dry run', () => {
    expect(message(() => checkDeleteOptions({ orphanDependents: false, dryRun: ['All'] }))).toBe('accepted');
    expect(message(() => checkDeleteOptions({}))).toBe('accepted');
  });

  it('are refused with every fault', () => {
    expect(message(() => checkDeleteOptions({ propagationPolicy: 'x', orphanDependents: false, dryRun: ['x'] }))).toBe(
      '422 DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "x": orphanDependents and ' +
        'deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "x": supported values: ' +
        '"Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["x"]: supported values: "All"]',
    );
  });
});

describe('a continue token', () => {
  const PREFIX = '400 invalid continue token: continue key is not valid: ';
  const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const V = 'meta.k8s.io/v1';
  const WRONG_REVISION = `${PREFIX}incorrect encoded start resourceVersion (version meta.k8s.io/v1)`;

  it('is written in the alphabet of URLs, without padding', () => {
    const starts = ['?>~', 'ÿþ', 'a', 'ab', 'abc'];
    for (const start of starts) {
      const text = writeContinueToken({ revision: 1, start });
      expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(readContinueToken(text)).toEqual({ revision: 1, start });
    }
    expect(starts.map((start) => writeContinueToken({ revision: 1, start })).join('')).toMatch(/[_-]/);
  });

  it('has a key with or without a namespace', () => {
    expect(readContinueToken(token({ v: V, rv: 5, start: 'a/b\0' }))).toEqual({ revision: 5, start: 'a/b' });
    expect(readContinueToken(token({ v: V, rv: -1, start: 'b\0' }))).toEqual({ revision: -1, start: 'b' });
  });

  it('has a revision beyond the safe integers lowered to the largest one', () => {
    expect(readContinueToken(token({ v: V, rv: 2 ** 60, start: 'a' })).revision).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['a revision of text', { v: V, rv: '5', start: 'a' }, WRONG_REVISION],
    ['a fraction', { v: V, rv: 1.5, start: 'a' }, WRONG_REVISION],
    ['no revision', { v: V, start: 'a' }, WRONG_REVISION],
    ['no key', { v: V, rv: 5 }, `${PREFIX}encoded start key empty (version meta.k8s.io/v1)`],
    ['a key that is a number', { v: V, rv: 5, start: 5 }, `${PREFIX}encoded start key empty (version meta.k8s.io/v1)`],
    ['an empty part of a key', { v: V, rv: 5, start: 'a//b' }, `${PREFIX}a//b`],
    ['a part of one dot', { v: V, rv: 5, start: 'a/./b' }, `${PREFIX}a/./b`],
    ['a part of two dots', { v: V, rv: 5, start: 'a/../b' }, `${PREFIX}a/../b`],
    [
      'a version that is a number',
      { v: 5, rv: 5, start: 'a' },
      `${PREFIX}server does not recognize this encoded version `,
    ],
    ['text', 'x', `${PREFIX}server does not recognize this encoded version `],
  ])('is refused with %s', (_what, value, expected) => {
    expect(message(() => readContinueToken(token(value)))).toBe(expected);
  });

  it('is refused where it is not base64, with the position, or not JSON', () => {
    expect(message(() => readContinueToken('ab=='))).toBe(`${PREFIX}illegal base64 data at input byte 2`);
    expect(message(() => readContinueToken('abcde'))).toBe(`${PREFIX}illegal base64 data at input byte 4`);
    expect(message(() => readContinueToken('abcd'))).toBe(`${PREFIX}the token is not JSON`);
    const notUtf8 = Buffer.concat([
      Buffer.from(`{"v":"${V}","rv":5,"start":"`),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    expect(message(() => readContinueToken(notUtf8.toString('base64url')))).toBe(`${PREFIX}the token is not JSON`);
  });

  it('is read up to 8,192 characters', () => {
    expect(message(() => readContinueToken('!'.repeat(8_192)))).toBe(`${PREFIX}illegal base64 data at input byte 0`);
    expect(message(() => readContinueToken('!'.repeat(8_193)))).toBe(`${PREFIX}the token is too long`);
  });
});
