import { expect, test } from 'vitest';
import { createWholeSeconds } from '../../../src/time/timestamp.js';

test('a time is truncated to its second, whatever was formatted before', () => {
  const wholeSeconds = createWholeSeconds();
  const start = Date.UTC(2026, 0, 1) * 1000;
  expect(wholeSeconds(start)).toBe('2026-01-01T00:00:00Z');
  expect(wholeSeconds(start + 999_999)).toBe('2026-01-01T00:00:00Z');
  expect(wholeSeconds(start + 1_000_000)).toBe('2026-01-01T00:00:01Z');
  expect(wholeSeconds(start - 1)).toBe('2025-12-31T23:59:59Z');
});
