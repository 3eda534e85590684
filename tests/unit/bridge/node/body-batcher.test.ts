import { afterEach, expect, test, vi } from 'vitest';
import { createBodyBatcher } from '../../../../src/bridge/node/body-batcher.js';
import type { NodeSocket } from '../../../../src/bridge/exchange/node-socket.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

afterEach(() => {
  vi.useRealTimers();
});

test('the bodies of one turn of the event loop are handed over after it, in order', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const taken: string[] = [];
  const take = (body: Uint8Array): void => void taken.push(new TextDecoder().decode(body));
  batcher.add(take, bytes('a'));
  batcher.add(take, bytes('b'));
  await Promise.resolve();
  expect(taken).toEqual([]);
  await nextTurn();
  expect(taken).toEqual(['a', 'b']);
});

test('a body that arrives while others are handed over is handed over in the next turn', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const taken: string[] = [];
  batcher.add(() => {
    taken.push('a');
    batcher.add(() => void taken.push('b'), bytes('b'));
  }, bytes('a'));
  await nextTurn();
  expect(taken).toEqual(['a']);
  await nextTurn();
  expect(taken).toEqual(['a', 'b']);
});

test('bodies are handed over while a test holds the global timers', async () => {
  const immediate = setImmediate;
  vi.useFakeTimers();
  const batcher = createBodyBatcher(() => undefined);
  const taken: number[] = [];
  batcher.add((body) => void taken.push(body.length), bytes('abc'));
  await new Promise((resolve) => immediate(resolve));
  expect(taken).toEqual([3]);
  vi.useRealTimers();
});

/** A socket that records what is done with it. */
function socketOf() {
  const calls: string[] = [];
  const listeners: (() => void)[] = [];
  const socket = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    on: (event: string, listener: () => void) => void (event === 'resume' && listeners.push(listener)),
  } as unknown as NodeSocket;
  return { socket, calls, listeners };
}

test('a connection is paused for a turn after 1,024 pieces, which count again from there', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const { socket, calls, listeners } = socketOf();
  for (let piece = 1; piece < 1024; piece++) batcher.onPiece(socket);
  expect(calls).toEqual([]);
  batcher.onPiece(socket);
  batcher.onPiece(socket);
  expect(calls).toEqual(['pause']);
  await nextTurn();
  expect(calls).toEqual(['pause', 'resume']);
  for (let piece = 1; piece < 1024; piece++) batcher.onPiece(socket);
  await nextTurn();
  expect(calls).toEqual(['pause', 'resume']);
  batcher.onPiece(socket);
  expect(calls).toEqual(['pause', 'resume', 'pause']);
  expect(listeners).toHaveLength(1);
  await nextTurn();
  expect(calls).toHaveLength(4);
});

test('connections with bodies in many pieces take turns', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const [first, second, third] = [socketOf(), socketOf(), socketOf()];
  for (let piece = 0; piece < 1024; piece++) batcher.onPiece(first.socket);
  batcher.onPiece(second.socket);
  batcher.onPiece(third.socket);
  const resumed = (): boolean[] => [first, second, third].map(({ calls }) => calls.includes('resume'));
  for (const expected of [
    [false, false, false],
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]) {
    expect(resumed()).toEqual(expected);
    await nextTurn();
  }
  expect([first, second, third].map(({ calls }) => calls)).toEqual(Array(3).fill(['pause', 'resume']));
});

test('a paused connection stays paused when Node resumes it', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const { socket, calls, listeners } = socketOf();
  for (let piece = 0; piece < 1024; piece++) batcher.onPiece(socket);
  listeners[0]?.();
  expect(calls).toEqual(['pause', 'pause']);
  await nextTurn();
  listeners[0]?.();
  expect(calls).toEqual(['pause', 'pause', 'resume']);
});

test('a turn in which bodies are handed over begins to count again', async () => {
  const batcher = createBodyBatcher(() => undefined);
  const { socket, calls } = socketOf();
  for (let piece = 1; piece < 1024; piece++) batcher.onPiece(socket);
  batcher.add(() => undefined, bytes('a'));
  await nextTurn();
  batcher.onPiece(socket);
  expect(calls).toEqual([]);
});
