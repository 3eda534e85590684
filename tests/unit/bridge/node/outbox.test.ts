import { afterEach, expect, test, vi } from 'vitest';
import type { NodeOutgoing } from '../../../../src/bridge/node/message.js';
import { createOutbox } from '../../../../src/bridge/node/outbox.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failed = (error: unknown): never => {
  throw error;
};

/** An answer that writes down what was sent. */
const answer = (sent: unknown[], end?: () => void): NodeOutgoing =>
  ({
    end(content?: string) {
      end?.();
      sent.push(content);
    },
  }) as unknown as NodeOutgoing;

afterEach(() => {
  vi.useRealTimers();
});

test('the answers of one turn are sent after it, in their order', async () => {
  const outbox = createOutbox();
  const sent: unknown[] = [];
  for (const content of ['a', '', 'b']) outbox.end(answer(sent), content, undefined, failed);
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent).toEqual(['a', undefined, 'b']);
  outbox.end(answer(sent), 'c', undefined, failed);
  await nextTurn();
  expect(sent).toEqual(['a', undefined, 'b', 'c']);
});

test('after many answers the first ones do not wait for more', () => {
  const outbox = createOutbox();
  const sent: unknown[] = [];
  for (let index = 0; index < 70; index++) outbox.end(answer(sent), String(index), undefined, failed);
  expect(sent.length).toBeGreaterThanOrEqual(32);
  expect(sent.length).toBeLessThan(70);
});

test('an answer that cannot be sent is told, and holds up no other', async () => {
  const outbox = createOutbox();
  const sent: unknown[] = [];
  const errors: unknown[] = [];
  const broken = answer(sent, () => failed('broken'));
  outbox.end(broken, 'a', undefined, (error) => errors.push(error));
  outbox.end(answer(sent), 'b', undefined, failed);
  await nextTurn();
  expect(errors).toEqual(['broken']);
  expect(sent).toEqual(['b']);
});

test('answers are sent while a test holds the global timers', async () => {
  const turn = nextTurn;
  const real = turn();
  vi.useFakeTimers();
  const outbox = createOutbox();
  const sent: unknown[] = [];
  outbox.end(answer(sent), 'a', undefined, failed);
  await real;
  vi.useRealTimers();
  await nextTurn();
  expect(sent).toEqual(['a']);
});
