import { expect, test } from 'vitest';
import type { CallerState } from '../../../src/limits/caller-queues.js';
import { createResponseBytes } from '../../../src/limits/response-bytes.js';

function counter(limit: number) {
  const state = { chunks: new Map() } as unknown as CallerState;
  let counted = 0;
  const bytes = createResponseBytes(
    (_, more) => (counted += more),
    () => limit - counted,
  );
  return { state, bytes, counted: () => counted };
}

test('a chunk that several responses to a caller share counts once, until the last of them has released it', () => {
  const { state, bytes, counted } = counter(100);
  const chunk = new Uint8Array(60);
  const [first, second] = [bytes.share(state, chunk), bytes.share(state, chunk)];
  expect(counted()).toBe(60);
  first?.();
  first?.();
  expect(counted()).toBe(60);
  second?.();
  expect([counted(), state.chunks.size]).toEqual([0, 0]);
  expect(bytes.share(state, chunk)).toBeDefined();
  expect(counted()).toBe(60);
});

test('a chunk is refused where nothing is free, unless the caller already holds it', () => {
  const { state, bytes, counted } = counter(60);
  const chunk = new Uint8Array(60);
  const release = bytes.share(state, chunk);
  expect(bytes.share(state, new Uint8Array(1))).toBeUndefined();
  expect(bytes.share(state, chunk)).toBeDefined();
  expect(counted()).toBe(60);
  release?.();
  expect(counted()).toBe(60);
});
