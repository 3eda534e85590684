import { expect, it } from 'vitest';
import {
  checkReadable,
  closed,
  conflict,
  exists,
  expired,
  futureRevision,
  notFound,
} from '../../../../src/store/contract/conditions.js';

it.each([
  [exists('a/b'), 'exists', 'a/b already exists'],
  [notFound('a/b'), 'not-found', 'a/b does not exist'],
  [conflict('a/b', 7, 5), 'conflict', 'a/b is at 7, not at 5'],
  [closed('memory'), 'closed', 'the store memory is closed'],
])('%s says why a write is refused', (error, code, message) => {
  expect(error).toMatchObject({ name: 'StoreError', code, message, current: undefined });
});

it('a revision outside the history is refused with the nearest readable one', () => {
  expect(expired(3, 5)).toMatchObject({
    code: 'expired',
    message: 'revision 3 is older than the history',
    current: 5,
  });
  expect(futureRevision(9, 7)).toMatchObject({
    code: 'future-revision',
    message: 'revision 9 is later than the latest revision',
    current: 7,
  });
});

it('a revision is readable from the oldest of the history to the latest', () => {
  for (const revision of [5, 6, 7]) expect(() => checkReadable(revision, 5, 7)).not.toThrow();
  expect(() => checkReadable(4, 5, 7)).toThrow(expect.objectContaining({ code: 'expired', current: 5 }));
  for (const revision of [8, Infinity, NaN]) {
    expect(() => checkReadable(revision, 5, 7)).toThrow(
      expect.objectContaining({ code: 'future-revision', current: 7 }),
    );
  }
});
