import type { Event } from '../../model/event.js';
import { compareRevisions, keyOf, revisionOf } from '../requests/revisions.js';
import { failure } from './refusals.js';
import type { View } from './view.js';

/** Older than every revision. */
const BEGINNING = '0';

/**
 * Returns each version that is newer than the last one, also from a list, so that its revision (`cursor`) is enough to
 * resume. At most `maxHeld` are held for sorting: of a longer list the oldest are returned, and it is read again.
 */
export function createNewerView(cursor: string | undefined, maxHeld: number): View<Event> {
  let last = cursor ?? BEGINNING;
  let held: Event[] = [];
  let cut = false;

  const isNewer = (event: Event): boolean => {
    const order = compareRevisions(revisionOf(event), last);
    if (order !== undefined) return order > 0;
    const revision = revisionOf(event);
    const fault =
      revision === ''
        ? `the event ${keyOf(event)} has no resourceVersion`
        : `resourceVersion ${revision} is not a number`;
    throw failure('unordered', `${fault}, so events cannot be ordered`);
  };
  const sort = (): void => {
    held.sort((one, other) => compareRevisions(revisionOf(one), revisionOf(other)) ?? 0);
    if (held.length <= maxHeld) return;
    held.length = maxHeld;
    cut = true;
  };

  function* oldestFirst(events: readonly Event[]): Generator<Event> {
    for (const event of events) {
      if (!isNewer(event)) continue;
      last = revisionOf(event);
      yield event;
    }
  }

  return {
    beginList() {
      held = [];
      cut = false;
      return [];
    },
    listed(event) {
      if (isNewer(event) && held.push(event) >= maxHeld * 2) sort();
      return [];
    },
    goneMeanwhile: () => [],
    endList() {
      sort();
      const given = oldestFirst(held);
      held = [];
      return { given, again: cut };
    },
    changed(type, object, position) {
      const order = compareRevisions(revisionOf(object), position);
      if (order !== undefined && order < 0) return 'rewound';
      return type === 'DELETED' ? [] : [...oldestFirst([object])];
    },
    lost(_position, isRewound) {
      // Which of these versions were returned is unknown: repeating some is better than missing one.
      if (isRewound) last = BEGINNING;
      return [];
    },
  };
}
