import { expect, it } from 'vitest';
import { auditIdOf, utf8Value } from '../../../src/http/headers.js';

it.each([
  ['jane', 'jane'],
  ['caf\xc3\xa9', 'café'],
  ['caf\xe9', 'caf\xe9'],
  ['\xc3\xa9 \xe9', '\xc3\xa9 \xe9'],
  ['日本', '日本'],
])('the header value %j is read as %j: as UTF-8 where all of its bytes are', (sent, read) => {
  expect(utf8Value(sent)).toBe(read);
});

it.each([
  ['1,024 characters', 'a'.repeat(1_024)],
  ['a space, a tab and Latin-1', 'a \t~\x80\xff'],
])('an Audit-Id of %s is that of the response', (_, sent) => {
  expect(auditIdOf({ method: 'GET', url: '/', headers: { 'audit-id': sent } }, () => 'new')).toBe(sent);
});

it.each([
  ['1,025 characters', 'a'.repeat(1_025)],
  ['no characters', ''],
  ['a line break', 'a\nb'],
  ['a control character', 'a\x7f'],
  ['characters beyond Latin-1', 'ā'],
])('an Audit-Id of %s is replaced', (_, sent) => {
  expect(auditIdOf({ method: 'GET', url: '/', headers: { 'audit-id': sent } }, () => 'new')).toBe('new');
});
