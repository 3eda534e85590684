import { expect, test } from 'vitest';
import { createUids } from '../../../../src/events/request/uids.js';

test('uids are different random UUIDs with all digits used', () => {
  const uids = createUids();
  const made = Array.from({ length: 1000 }, uids);
  expect(new Set(made).size).toBe(1000);
  for (const uid of made) expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const random = [...Array(36).keys()].filter((at) => ![8, 13, 14, 18, 19, 23].includes(at));
  for (const at of random) expect(new Set(made.map((uid) => uid[at])).size).toBe(16);
});
