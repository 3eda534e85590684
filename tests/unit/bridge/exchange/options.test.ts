import { expect, test } from 'vitest';
import { toFetchHandler } from '../../../../src/fetch.js';
import { toNodeListener } from '../../../../src/node.js';

test.each([
  ['toNodeListener', toNodeListener],
  ['toFetchHandler', toFetchHandler],
] as const)('%s names every fault of its arguments at once', (name, make) => {
  const bad = { basePath: 'internal', onError: 'log', maxBodyBytes: -1, signal: {}, stallTimeoutMs: 0 } as never;
  expect(() => make('handler' as never, bad)).toThrow(TypeError);
  expect(() => make('handler' as never, bad)).toThrow(
    new RegExp(`^${name}: the handler .*basePath .*onError .*maxBodyBytes .*signal .*stallTimeoutMs `),
  );
  expect(() => make('handler' as never)).toThrow(
    new TypeError(`${name}: the handler must be a function, such as health.handle`),
  );
  const signal = new AbortController().signal;
  expect(() => make(() => undefined)).not.toThrow();
  expect(() =>
    make(() => undefined, {
      basePath: '/internal/',
      onError: () => undefined,
      maxBodyBytes: 0,
      signal,
      stallTimeoutMs: Infinity,
    }),
  ).not.toThrow();
});
