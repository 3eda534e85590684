import { expect, it } from 'vitest';
import { createSemaphore } from '../../../src/clock/semaphore.js';

it('a permit that is released while others wait goes to them, and not to tryAcquire()', () => {
  const semaphore = createSemaphore(1);
  expect([semaphore.tryAcquire(), semaphore.tryAcquire()]).toEqual([true, false]);
  const taken: (string | boolean)[] = [];
  semaphore.wait(() => {
    taken.push('first');
    semaphore.release();
    taken.push(semaphore.tryAcquire());
  });
  semaphore.wait(() => taken.push('second'));
  semaphore.release();
  expect(taken).toEqual(['first', false, 'second']);
  semaphore.release();
  expect(semaphore.tryAcquire()).toBe(true);
});
