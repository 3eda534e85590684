import { describe, expect, it } from 'vitest';
import { chain, settle } from '../../../src/http/promise.js';

/** A thenable whose `then` gives nothing, as hooks may return it. */
const thenable = (value: number): PromiseLike<number> =>
  ({ then: (resolve: (value: number) => void) => resolve(value) }) as unknown as PromiseLike<number>;

describe('chain', () => {
  it('continues synchronously with a value, and through a promise with a promise or any thenable', async () => {
    const next = (value: number): number => value + 1;
    expect(chain(1, next)).toBe(2);
    expect(await chain(Promise.resolve(1), next)).toBe(2);
    expect(await chain(thenable(1), next)).toBe(2);
  });
});

describe('settle', () => {
  const next = (subject: string, value: number): string => `${subject} ${value}`;
  const failed = (subject: string, error: unknown): string => `${subject} ${(error as Error).message}`;

  it('continues with the result or the error of work, whatever kind of promise it gives', async () => {
    expect(settle('a', () => 1, next, failed)).toBe('a 1');
    expect(await settle('a', () => thenable(1), next, failed)).toBe('a 1');
    expect(await settle('a', () => Promise.reject(new Error('no')), next, failed)).toBe('a no');
    const thrown = (): number => {
      throw new Error('no');
    };
    expect(settle('a', thrown, next, failed)).toBe('a no');
  });
});
