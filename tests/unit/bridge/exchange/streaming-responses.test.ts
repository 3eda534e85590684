import { expect, test } from 'vitest';
import { createStreamingResponses } from '../../../../src/bridge/exchange/streaming-responses.js';

const exchangeOf = (codes: string[]) => ({ abort: (code: string): void => void codes.push(code) });

test('streaming responses end when the service shuts down, and those that begin later at once', () => {
  const shutdown = new AbortController();
  const responses = createStreamingResponses(shutdown.signal);
  const [open, removed, late]: [string[], string[], string[]] = [[], [], []];
  const ended = exchangeOf(removed);
  responses.add(exchangeOf(open));
  responses.add(ended);
  responses.remove(ended);
  expect(open).toEqual([]);
  shutdown.abort();
  responses.add(exchangeOf(late));
  expect([open, removed, late]).toEqual([['server-closing'], [], ['server-closing']]);
});

test('without a signal nothing ends them', () => {
  const codes: string[] = [];
  createStreamingResponses(undefined).add(exchangeOf(codes));
  expect(codes).toEqual([]);
});
