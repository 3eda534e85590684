import { expect, test, vi } from 'vitest';
import { drop } from '../../../../src/bridge/exchange/response-body.js';

const stream = (released: () => void): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => Promise.resolve({ done: true, value: undefined }),
    return() {
      released();
      return Promise.resolve({ done: true, value: undefined });
    },
  }),
});

test('the source of a response that is not sent is released', () => {
  const [abort, released] = [vi.fn(), vi.fn()];
  drop({ abort }, { status: 200, headers: {}, body: stream(released) });
  expect(abort).toHaveBeenCalledExactlyOnceWith('body-unwanted');
  expect(released).toHaveBeenCalledOnce();
});

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a text', 'a text'],
  ['a response without a body', { status: 200 }],
  ['a response of bytes', { body: new Uint8Array(1) }],
  ['a response of text', { body: 'a' }],
  [
    'a response whose body throws',
    {
      get body(): never {
        throw new Error('broken');
      },
    },
  ],
])('what has no stream is left as it is: %s', (_, response) => {
  const abort = vi.fn();
  drop({ abort }, response);
  expect(abort).not.toHaveBeenCalled();
});
