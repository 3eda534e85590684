import { expect, it } from 'vitest';
import { scanJson } from '../../../src/json/scan-json.js';

it.each(['"a"', '[true,false,null,12]', '{"e":"1.5e3"}', '[0,"\\u0041"]'])('%s needs no strict parser', (text) => {
  expect(scanJson(text, Infinity).needsStrictParser).toBe(false);
});

it.each(['[1.0]', '[1e3]', '[1E3]', '[1234567890123456]', '["\\ud83d"]', '"a""b"', '{::}'])(
  '%s may need the strict parser',
  (text) => {
    expect(scanJson(text, Infinity).needsStrictParser).toBe(true);
  },
);
