import { expect, it } from 'vitest';
import { createNewerView } from '../../../../src/client/watching/newer-view.js';
import type { Event } from '../../../../src/model/event.js';

const event = (revision: number): Event => ({ metadata: { name: `e${revision}`, resourceVersion: String(revision) } });

it('a long list is given in parts, by revision, with a bounded number of events held', () => {
  const view = createNewerView('5', 3);
  const revisions = [9, 12, 7, 3, 15, 11, 6, 14, 8, 13, 10, 5, 4];
  const given: string[] = [];
  let passes = 0;
  for (let again = true; again; passes++) {
    view.beginList();
    for (const revision of revisions) expect(view.listed(event(revision))).toEqual([]);
    const part = view.endList();
    for (const { metadata } of part.given) given.push(metadata.resourceVersion ?? '');
    again = part.again;
  }
  expect(given).toEqual(['6', '7', '8', '9', '10', '11', '12', '13', '14', '15']);
  expect(passes).toBe(4);
});

it('a revision that is not a number is an error', () => {
  const view = createNewerView(undefined, 3);
  expect(() => view.listed({ metadata: { name: 'a', resourceVersion: 'x1' } })).toThrow(
    'resourceVersion x1 is not a number',
  );
});
