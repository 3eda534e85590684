import { expect, test, vi } from 'vitest';
import type { Change, Revision } from '../../../../src/store/contract/event-store.js';
import { createFeedProgress } from '../../../../src/store/postgres/feed-progress.js';

const changeAt = (revision: Revision): Change => ({ revision }) as Change;

function createFeed(after: Revision) {
  const progress = createFeedProgress();
  const pages: (readonly Change[])[] = [];
  const onProgress = vi.fn<(revision: Revision) => void>();
  const end = vi.fn<() => void>();
  const feed = progress.reported({ take: () => pages.shift(), end }, { after, onProgress, wake: () => undefined });
  return { progress, pages, onProgress, end, feed };
}

test('a revision with nothing before it is reported once', () => {
  const { progress, onProgress } = createFeed(5);
  progress.nothing(5, 5);
  expect(onProgress).not.toHaveBeenCalled();
  for (const revision of [9, 9, 12]) progress.nothing(5, revision);
  expect(onProgress.mock.calls).toEqual([[9], [12]]);
});

test('only a read from the last change that was taken counts, and no revision before that change', () => {
  const { progress, pages, onProgress, feed } = createFeed(5);
  progress.nothing(4, 9);
  pages.push([changeAt(7), changeAt(8)]);
  expect(feed.take()).toEqual([{ revision: 7 }, { revision: 8 }]);
  expect(feed.take()).toBeUndefined();
  progress.nothing(5, 9);
  progress.nothing(8, 8);
  expect(onProgress).not.toHaveBeenCalled();
  progress.nothing(8, 9);
  expect(onProgress.mock.calls).toEqual([[9]]);
});

test('a feed that has ended gets no reports', () => {
  const { progress, onProgress, end, feed } = createFeed(5);
  feed.end?.();
  expect(end).toHaveBeenCalledOnce();
  progress.nothing(5, 9);
  expect(onProgress).not.toHaveBeenCalled();
});

test('a feed without onProgress is passed on as it is', () => {
  const source = { take: () => undefined };
  expect(createFeedProgress().reported(source, { after: 5, wake: () => undefined })).toBe(source);
});
