import { expect, test } from 'vitest';
import { createBodyLimits } from '../../../../src/api/body/parse-body.js';
import { MAX_MEMBERS } from '../../../../src/json/member-count.js';

test('the limit of a stored event is derived from the limit of a body', () => {
  expect(createBodyLimits(1_000, 50)).toEqual({ members: 1_000, storedMembers: 2_100, yamlCharacters: 50 });
});

test('omitted limits have their defaults', () => {
  expect(createBodyLimits()).toEqual({
    members: MAX_MEMBERS,
    storedMembers: 8_100,
    yamlCharacters: 131_072,
  });
  expect(MAX_MEMBERS).toBe(4_000);
});
