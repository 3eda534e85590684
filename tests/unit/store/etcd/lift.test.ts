import { expect, test } from 'vitest';
import { liftOf, unliftedConditions } from '../../../../src/store/etcd/lift.js';

const key = new Uint8Array(1);

test('no key is at a revision from before a lift, nor absent because a condition names the lift itself', () => {
  const revisions = [0, 1, 99, 100, 101, 150].map((revision) => ({ key, revision }));
  const conditions = unliftedConditions(revisions, { offset: 100, mod: 5 });
  const never = Number.MAX_SAFE_INTEGER;
  // In etcd's conditions 0 means that the key does not exist.
  expect(conditions.map(({ revision }) => revision)).toEqual([0, never, never, never, 1, 50]);
});

test.each(['', 'x', '-1', '1.5', '9007199254740993'])('a lift whose value is %j counts as none', (text) => {
  const value = new TextEncoder().encode(text);
  expect(liftOf({ key, value, createRevision: 3, modRevision: 7, version: 1 })).toEqual({ offset: 0, mod: 7 });
});
