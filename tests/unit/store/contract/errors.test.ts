import { expect, it } from 'vitest';
import { hasCode, isStoreError, storeError } from '../../../../src/store/contract/errors.js';

it('an error of a store has a code, and its cause', () => {
  const cause = new Error('reset');
  const error = storeError('unavailable', 'no connection', { cause, onlyWrites: true });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'StoreError', code: 'unavailable', message: 'no connection', cause });
  expect(error).toMatchObject({ onlyWrites: true, current: undefined });
  expect(storeError('full', 'no room')).not.toHaveProperty('onlyWrites');
  expect(storeError('full', 'no room', { onlyWrites: false })).not.toHaveProperty('onlyWrites');
});

it('an error with a wrong third argument still has its code', () => {
  expect(storeError('full', 'no room', null as never)).toMatchObject({ code: 'full', message: 'no room' });
});

it('an error of a store is told from any other, and by its code', () => {
  const error = storeError('expired', 'too old');
  expect([error, new Error('expired'), { code: 'expired' }, undefined].map(isStoreError)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(hasCode(error, 'closed', 'expired')).toBe(true);
  expect(hasCode(error, 'closed')).toBe(false);
  expect(hasCode(Object.assign(new Error('expired'), { code: 'expired' }), 'expired')).toBe(false);
});
