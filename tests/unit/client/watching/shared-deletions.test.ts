import { expect, it } from 'vitest';
import { createSharedDeletions } from '../../../../src/client/watching/shared-deletions.js';

const deletion = (name: string, resourceVersion?: string) => ({
  metadata: { name, namespace: 'shop', resourceVersion },
});

it('deletions at one revision are judged by the position before it, each once', () => {
  const deletions = createSharedDeletions();
  const positions = [deletion('a', '7'), deletion('b', '7'), deletion('a', '7'), deletion('a', '8')].map((event) =>
    deletions.positionBefore(event, event.metadata.name === 'a' && event.metadata.resourceVersion === '7' ? '5' : '7'),
  );
  expect(positions).toEqual(['5', '5', undefined, '7']);
});

it('deletions without a revision are all different', () => {
  const deletions = createSharedDeletions();
  expect(deletions.positionBefore(deletion('a'), '5')).toBe('5');
  expect(deletions.positionBefore(deletion('a'), '6')).toBe('6');
});

it('a watch resumes before the revision of a deletion, where revisions are numbers', () => {
  for (const [revision, resumed] of [
    ['10', '9'],
    ['1000000000000000000000', '999999999999999999999'],
    ['0', '0'],
    ['x1', 'x1'],
    ['1x', '1x'],
  ] as const) {
    const deletions = createSharedDeletions();
    deletions.positionBefore(deletion('a', revision), '5');
    expect(deletions.resumeFrom(revision)).toBe(resumed);
    expect(deletions.resumeFrom('11')).toBe('11');
  }
});

it('ten thousand deletions at one revision are remembered, and more of them may be reported twice', () => {
  const deletions = createSharedDeletions();
  for (let i = 0; i <= 10_000; i++) deletions.positionBefore(deletion(`e-${i}`, '7'), '5');
  expect(deletions.positionBefore(deletion('e-9999', '7'), '5')).toBeUndefined();
  expect(deletions.positionBefore(deletion('e-10000', '7'), '5')).toBe('5');
});
