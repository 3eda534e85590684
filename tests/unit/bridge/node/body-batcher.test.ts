import { afterEach, expect, test, vi } from 'vitest';
import { createBodyBatcher } from '../../../../src/bridge/node/body-batcher.js';

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
