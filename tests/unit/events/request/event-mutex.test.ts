import { expect, test } from 'vitest';
import { badRequest } from '../../../../src/api/status/failures.js';
import { createEventMutex } from '../../../../src/events/request/event-mutex.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { fakeClock } from '../../../../src/testing/fake-clock.js';
import { settled } from '../bench.js';

const A = { namespace: 'default', name: 'a' };
const B = { namespace: 'default', name: 'b' };
const SIGNAL = new AbortController().signal;

/** Work that a test ends, with what has begun so far. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const work = (name: string) => (): Promise<string> => {
    begun.push(name);
    return new Promise((resolve, reject) => ends.set(name, { resolve: () => resolve(name), reject }));
  };
  return {
    begun,
    work,
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string, error: Error) => ends.get(name)?.reject(error),
  };
}

test('work on one event begins when the work before it has ended, in order', async () => {
  const mutex = createEventMutex(fakeClock());
  const { begun, work, end } = works();
  const all = ['1', '2', '3'].map((name) => mutex(A, SIGNAL, work(name)));
  await settled();
  expect(begun).toEqual(['1']);
  end('1');
  await settled();
  expect(begun).toEqual(['1', '2']);
  end('2');
  await settled();
  end('3');
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
  void mutex(A, SIGNAL, work('4'));
  expect(begun.at(-1)).toBe('4');
});

test('work on different events does not wait', () => {
  const mutex = createEventMutex(fakeClock());
  const { begun, work } = works();
  void mutex(A, SIGNAL, work('a'));
  void mutex(B, SIGNAL, work('b'));
  void mutex({ namespace: 'other', name: 'a' }, SIGNAL, work('c'));
  expect(begun).toEqual(['a', 'b', 'c']);
});

test.each([
  ['a refusal', badRequest('no')],
  ['an error of one event at the store', storeError('too-large', 'no')],
])('work that fails with %s lets the next one begin', async (_what, error) => {
  const mutex = createEventMutex(fakeClock());
  const { begun, work, fail } = works();
  const first = mutex(A, SIGNAL, work('1'));
  for (const name of ['2', '3']) void mutex(A, SIGNAL, work(name));
  fail('1', error);
  await expect(first).rejects.toThrow('no');
  await settled();
  expect(begun).toEqual(['1', '2']);
});

test('work whose request has ended lets the next one begin, once', async () => {
  const mutex = createEventMutex(fakeClock());
  const { begun, work, end } = works();
  const request = new AbortController();
  const first = mutex(A, request.signal, work('1'));
  for (const name of ['2', '3']) void mutex(A, SIGNAL, work(name));
  request.abort();
  await settled();
  expect(begun).toEqual(['1', '2']);
  end('1');
  expect(await first).toBe('1');
  await settled();
  expect(begun).toEqual(['1', '2']);
  end('2');
  await settled();
  expect(begun).toEqual(['1', '2', '3']);
});

test.each(['unavailable', 'unknown-outcome'] as const)(
  'the error %s of a store lets all begin that wait',
  async (code) => {
    const mutex = createEventMutex(fakeClock());
    const { begun, work, fail, end } = works();
    const first = mutex(A, SIGNAL, work('1'));
    const others = ['2', '3', '4'].map((name) => mutex(A, SIGNAL, work(name)));
    fail('1', storeError(code, 'away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    expect(begun).toEqual(['1', '2', '3', '4']);
    for (const name of ['2', '3', '4']) end(name);
    expect(await Promise.all(others)).toEqual(['2', '3', '4']);
  },
);

test('work that began with others because the store was away does not end the turn of later work', async () => {
  const mutex = createEventMutex(fakeClock());
  const { begun, work, fail, end } = works();
  const first = mutex(A, SIGNAL, work('1'));
  for (const name of ['2', '3']) void mutex(A, SIGNAL, work(name));
  fail('1', storeError('unavailable', 'away'));
  await expect(first).rejects.toThrow('away');
  end('2');
  await settled();
  void mutex(A, SIGNAL, work('4'));
  end('3');
  await settled();
  void mutex(A, SIGNAL, work('5'));
  expect(begun).toEqual(['1', '2', '3', '4']);
});

test('work that takes longer than a second lets all begin that wait, and shorter work does not', async () => {
  const clock = fakeClock();
  const mutex = createEventMutex(clock);
  const { begun, work, end } = works();
  void mutex(A, SIGNAL, work('1'));
  for (const name of ['2', '3', '4']) void mutex(A, SIGNAL, work(name));
  clock.advance(900);
  end('1');
  await settled();
  clock.advance(900);
  await settled();
  expect(begun).toEqual(['1', '2']);
  clock.advance(100);
  await settled();
  expect(begun).toEqual(['1', '2', '3', '4']);
});
