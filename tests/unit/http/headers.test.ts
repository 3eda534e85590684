import { expect, it } from 'vitest';
import { utf8Value } from '../../../src/http/headers.js';

it.each([
  ['jane', 'jane'],
  ['caf\xc3\xa9', 'café'],
  ['caf\xe9', 'caf\xe9'],
  ['\xc3\xa9 \xe9', '\xc3\xa9 \xe9'],
  ['日本', '日本'],
])('the header value %j is read as %j: as UTF-8 where all of its bytes are', (sent, read) => {
  expect(utf8Value(sent)).toBe(read);
});
