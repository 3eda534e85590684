import { expect, it } from 'vitest';
import { callHook } from '../../../src/observe/call-hook.js';

it('the errors of a hook are ignored, also of one that is async', async () => {
  const fail = (): never => {
    throw new Error('a bug');
  };
  expect(callHook(fail)).toBeUndefined();
  expect(callHook(() => undefined)).toBeUndefined();
  // An unhandled rejection would end the process.
  const pending = callHook(async () => fail());
  expect(pending).toBeInstanceOf(Promise);
  expect(await pending).toBeUndefined();
});
