import { expect, test } from 'vitest';
import { ABORT_REASONS, isAbortError } from '../../../../src/bridge/exchange/abort-reason.js';
import type { AbortCode } from '../../../../src/model/abort-code.js';

const CODES: readonly AbortCode[] = [
  'client-left',
  'server-closing',
  'body-unwanted',
  'reader-stalled',
  'response-abandoned',
];

test('every reason has a different code and sentence, and cannot be changed', () => {
  const reasons = CODES.map((code) => ABORT_REASONS[code]);
  expect(reasons.map(({ code, name }) => [code, name])).toEqual(CODES.map((code) => [code, 'AbortError']));
  for (const { message } of reasons) expect(message).toMatch(/^(the|nobody) \w+ .{4,}/);
  expect(new Set(reasons.map(({ message }) => message)).size).toBe(CODES.length);
  for (const reason of reasons) expect([Object.isFrozen(reason), isAbortError(reason)]).toEqual([true, true]);
});

test('only an object named AbortError is an abort error', () => {
  expect(isAbortError(new DOMException('stopped', 'AbortError'))).toBe(true);
  expect(isAbortError({ name: 'AbortError' })).toBe(true);
  for (const other of [new Error('AbortError'), 'AbortError', null, undefined]) expect(isAbortError(other)).toBe(false);
});

test('an object whose name throws is none', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(isAbortError(proxy)).toBe(false);
});
