import { expect, test } from 'vitest';
import { badRequest } from '../../../../src/api/status/failures.js';
import { createEventMutex } from '../../../../src/events/request/event-mutex.js';
import { storeError } from '../../../../src/store/contract/errors.js';
import { settled } from '../bench.js';

const A = { namespace: 'default', name: 'a' };
const B = { namespace: 'default', name: 'b' };

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
  const mutex = createEventMutex();
  const { begun, work, end } = works();
  const all = ['1', '2', '3'].map((name) => mutex(A, work(name)));
  await settled();
  expect(begun).toEqual(['1']);
  end('1');
  await settled();
  expect(begun).toEqual(['1', '2']);
  end('2');
  await settled();
  end('3');
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
  void mutex(A, work('4'));
  expect(begun.at(-1)).toBe('4');
});

test('work on different events does not wait', () => {
  const mutex = createEventMutex();
  const { begun, work } = works();
  void mutex(A, work('a'));
  void mutex(B, work('b'));
  void mutex({ namespace: 'other', name: 'a' }, work('c'));
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('work that fails lets the next one begin', async () => {
  const mutex = createEventMutex();
  const { begun, work, fail } = works();
  const first = mutex(A, work('1'));
  void mutex(A, work('2'));
  void mutex(A, work('3'));
  fail('1', badRequest('no'));
  await expect(first).rejects.toThrow('no');
  await settled();
  expect(begun).toEqual(['1', '2']);
});

test('an error of the store lets all begin that wait, because each would fail after the same time', async () => {
  const mutex = createEventMutex();
  const { begun, work, fail, end } = works();
  const first = mutex(A, work('1'));
  const others = ['2', '3', '4'].map((name) => mutex(A, work(name)));
  fail('1', storeError('unavailable', 'away'));
  await expect(first).rejects.toThrow('away');
  await settled();
  expect(begun).toEqual(['1', '2', '3', '4']);
  for (const name of ['2', '3', '4']) end(name);
  expect(await Promise.all(others)).toEqual(['2', '3', '4']);
});
