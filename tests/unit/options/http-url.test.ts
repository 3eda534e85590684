import { expect, it } from 'vitest';
import { httpUrl } from '../../../src/options/http-url.js';

it.each([
  ['http://shop.example:8080/a?b#c', 'shop.example:8080'],
  ['HTTPS://user:secret@shop.example', 'shop.example'],
  ['ftp://shop.example', undefined],
  ['shop.example:8080', undefined],
  ['http://', undefined],
  [new URL('http://shop.example'), undefined],
  [undefined, undefined],
])('is the URL of a text that is one of HTTP or HTTPS: %s', (text, host) => {
  expect(httpUrl(text)?.host).toBe(host);
});
