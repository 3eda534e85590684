import { expect, it } from 'vitest';
import { jsonValue } from '../../../src/json/json-value.js';

it('is the value of a JSON text, and undefined for any other text', () => {
  expect(jsonValue('{"a":[1,null]}')).toEqual({ a: [1, null] });
  expect(jsonValue('null')).toBeNull();
  expect(jsonValue('{"a":')).toBeUndefined();
  expect(jsonValue('')).toBeUndefined();
});
