import { expect, test } from 'vitest';
import { createUnusedCloser } from '../../../../src/bridge/node/unused-connections.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';

test('connections on which nothing was sent are ended, and destroyed a second later, others are left', () => {
  const calls: string[] = [];
  const socket = (name: string, bytesRead: number) => ({
    bytesRead,
    end: () => calls.push(`end ${name}`),
    destroy: () => calls.push(`destroy ${name}`),
  });
  const parsers = [{ socket: socket('unused', 0) }, { socket: socket('used', 1) }, { socket: null }, {}];
  const clock = fakeClock();
  const close = createUnusedCloser({ [Symbol('http.server.connections')]: { all: () => parsers } }, clock);
  close();
  expect(calls.splice(0)).toEqual(['end unused']);
  clock.advance(999);
  close();
  expect(calls.splice(0)).toEqual([]);
  clock.advance(1);
  close();
  expect(calls).toEqual(['destroy unused']);
});

test('a server that does not list its connections is left as it is', () => {
  const close = createUnusedCloser({ [Symbol('http.server.connections')]: {} }, fakeClock());
  expect(close).not.toThrow();
  expect(createUnusedCloser({}, fakeClock())).not.toThrow();
});
