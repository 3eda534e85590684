import { expect, test, vi } from 'vitest';
import { NodeExchange } from '../../../../src/bridge/node/node-exchange.js';
import { Incoming, Outgoing } from './hand-made.js';

const exchange = (): NodeExchange =>
  new NodeExchange(new Incoming() as never, new Outgoing() as never, '/', { hasNext: false }, {} as never);

const codeOf = ({ reason }: AbortSignal): unknown => (reason as { readonly code?: unknown } | undefined)?.code;

test.each(['before', 'after'])('the first reason to abort a request stays, where the signal is read %s it', (when) => {
  const aborted = exchange();
  if (when === 'before') expect(aborted.signal.aborted).toBe(false);
  aborted.abort('reader-stalled');
  aborted.abort('client-left');
  expect([aborted.aborted, codeOf(aborted.signal)]).toEqual([true, 'reader-stalled']);
});

test.each(['before', 'after'])('a finished response is not aborted, where the signal is read %s it', (when) => {
  const finished = exchange();
  if (when === 'before') expect(finished.signal.aborted).toBe(false);
  finished.finish();
  finished.abort('server-closing');
  expect([finished.aborted, finished.signal.aborted]).toEqual([false, false]);
});

test('a client that leaves after the response is finished is ignored', () => {
  const res = new Outgoing();
  const finished = new NodeExchange(new Incoming() as never, res as never, '/', { hasNext: false }, {} as never);
  const left = vi.fn<() => void>();
  finished.onClientLeft(left);
  finished.finish();
  res.emit('close');
  expect([finished.aborted, left.mock.calls.length]).toEqual([false, 0]);
});

test('the object of the framework is that of the routing, or the request of Node', () => {
  const req = new Incoming() as never;
  const frameworkOf = (more: object): unknown =>
    new NodeExchange(req, new Outgoing() as never, '/', { hasNext: false, ...more }, {} as never).framework;
  const context = {};
  expect([frameworkOf({}) === req, frameworkOf({ framework: context }) === context]).toEqual([true, true]);
});
