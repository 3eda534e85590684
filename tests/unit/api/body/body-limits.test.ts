import { expect, test } from 'vitest';
import { createBodyLimits, DEFAULT_BODY_LIMITS } from '../../../../src/api/body/body-limits.js';
import { MAX_MEMBERS } from '../../../../src/json/member-count.js';
import { MAX_STORED_MEMBERS } from '../../../../src/api/body/member-limit.js';

test('what a stored event may have follows from what a body may have', () => {
  expect(createBodyLimits(1_000, 50)).toEqual({ members: 1_000, storedMembers: 2_100, yamlCharacters: 50 });
});

test('what is left out is at its default', () => {
  expect(createBodyLimits()).toEqual(DEFAULT_BODY_LIMITS);
  expect(DEFAULT_BODY_LIMITS).toEqual({
    members: MAX_MEMBERS,
    storedMembers: MAX_STORED_MEMBERS,
    yamlCharacters: 131_072,
  });
  expect([MAX_MEMBERS, MAX_STORED_MEMBERS]).toEqual([4_000, 8_100]);
});
