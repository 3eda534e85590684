import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ParkedIterator } from '../../../../src/store/feeds/parked-iterator.js';

function queue(signal?: AbortSignal) {
  const ready: (string[] | 'end' | Error)[] = [];
  let ended = 0;
  const iterator = new ParkedIterator<string[]>({
    signal,
    poll() {
      const value = ready.shift();
      if (value instanceof Error) throw value;
      return value;
    },
    onEnd: () => void ended++,
  });
  return { iterator, ready, ended: () => ended };
}

describe('a parked iterator', () => {
  test('returns what is ready, and waits for the rest, in the order of calls', async () => {
    const { iterator, ready } = queue();
    ready.push(['a']);
    expect(await iterator.next()).toEqual({ done: false, value: ['a'] });
    const waiting = [iterator.next(), iterator.next(), iterator.next()];
    ready.push(['b'], ['c']);
    iterator.wake();
    ready.push('end');
    iterator.wake();
    expect(await Promise.all(waiting)).toEqual([
      { done: false, value: ['b'] },
      { done: false, value: ['c'] },
      { done: true, value: undefined },
    ]);
  });

  test.each(['end', 'return'] as const)('releases a waiting reader with %s(), once', async (way) => {
    const { iterator, ended } = queue();
    const waiting = iterator.next();
    void iterator[way]();
    void iterator[way]();
    expect((await waiting).done).toBe(true);
    expect((await iterator.next()).done).toBe(true);
    expect(await iterator.return()).toEqual({ done: true, value: undefined });
    expect(ended()).toBe(1);
  });

  test('passes an error to the reader and ends', async () => {
    const { iterator, ready, ended } = queue();
    const waiting = [iterator.next(), iterator.next()];
    ready.push(new Error('broken'));
    iterator.wake();
    await expect(waiting[0]).rejects.toThrow('broken');
    expect((await waiting[1])?.done).toBe(true);
    expect(ended()).toBe(1);
  });

  test('ends with the signal, also one that was aborted before', async () => {
    const controller = new AbortController();
    const { iterator, ended } = queue(controller.signal);
    const waiting = iterator.next();
    controller.abort();
    expect((await waiting).done).toBe(true);
    expect(ended()).toBe(1);
    const late = queue(controller.signal);
    late.ready.push(['a']);
    expect((await late.iterator.next()).done).toBe(true);
    expect(late.ended()).toBe(0);
  });

  test('leaves no listener on its signal', () => {
    const { signal } = new AbortController();
    const { iterator } = queue(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    iterator.end();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('returns items without a promise when they are ready, and in order with the rest', async () => {
    const { iterator, ready } = queue();
    const seen: unknown[] = [];
    const waiter = {
      resolve: (step: unknown) => void seen.push(step),
      reject: (error: unknown) => void seen.push(error),
    };
    ready.push(['a']);
    iterator.nextTo(waiter);
    expect(seen).toEqual([{ done: false, value: ['a'] }]);
    iterator.nextTo(waiter);
    const next = iterator.next();
    iterator.nextTo(waiter);
    ready.push(['b'], ['c'], new Error('broken'));
    iterator.wake();
    expect(seen.slice(1)).toEqual([{ done: false, value: ['b'] }, new Error('broken')]);
    expect(await next).toEqual({ done: false, value: ['c'] });
    iterator.nextTo(waiter);
    expect(seen.at(-1)).toEqual({ done: true, value: undefined });
  });

  test('ends when its loop is left', async () => {
    const { iterator, ready, ended } = queue();
    ready.push(['a'], ['b']);
    for await (const value of iterator) {
      expect(value).toEqual(['a']);
      break;
    }
    expect(ended()).toBe(1);
  });
});
