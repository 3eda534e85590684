import type { Event } from '../../model/event.js';
import { depthWithin, MAX_FREE_DEPTH, sameTree } from '../../json/json-tree.js';
import type { EventChange } from './changes.js';
import type { Known, Remembered } from './remembered.js';
import { compareRevisions, isOlder, keyOf, revisionOf } from '../requests/revisions.js';
import type { View } from './view.js';

const NOTHING: readonly EventChange[] = [];

/**
 * Keeps which version of each event the consumer has, and returns the differences. `after` is where a watch without a
 * list begins: older events that were never seen are not returned. `skipsFirst` leaves out those of the first list.
 */
export function createDiffingView(
  remembered: Remembered,
  after?: string,
  skipsFirst: boolean = false,
): View<EventChange> {
  /** Every event that exists is remembered. */
  let complete = false;
  let seen = new Set<string>();
  /** True after the revisions have gone back, until a list has ended: the server may have used them for other contents. */
  let reused = false;
  /** `after`, until the revisions have gone back: then older events may be new. */
  let start = after;

  /** Whether the consumer has this version. A redundant `updated` is better than contents that stay wrong. */
  const isCurrent = (event: Event, known: Known | undefined): boolean =>
    known?.revision === revisionOf(event) &&
    known.uid === (event.metadata.uid ?? '') &&
    // JSON from a server may be nested more deeply than the stack allows.
    (!reused || (depthWithin(event, MAX_FREE_DEPTH) && sameTree(known.event, event)));

  const isSkipped = (event: Event): boolean =>
    skipsFirst || (start !== undefined && (compareRevisions(revisionOf(event), start) ?? 1) <= 0);

  const put = (event: Event, at?: { readonly position: string }): readonly EventChange[] => {
    const key = keyOf(event);
    const known = remembered.get(key);
    if (isCurrent(event, known)) return NOTHING;
    remembered.set(key, event);
    if (known === undefined) {
      if (!complete && at === undefined && isSkipped(event)) return NOTHING;
      return [{ type: 'added', event, ...at }];
    }
    if (known.uid === (event.metadata.uid ?? '')) return [{ type: 'updated', event, ...previousOf(known), ...at }];
    // It was deleted in between, and created again.
    return [missedDeletion(key, known), { type: 'added', event, ...at }];
  };

  const remove = (event: Event, at?: { readonly position: string }): readonly EventChange[] => {
    const key = keyOf(event);
    const known = remembered.get(key);
    if (known === undefined && complete) return NOTHING;
    // The deletion of an earlier event of that name.
    if (known !== undefined && isOlder(revisionOf(event), known.revision)) return NOTHING;
    remembered.delete(key);
    return [{ type: 'deleted', event, ...previousOf(known), ...at }];
  };

  function* missedDeletions(): Generator<EventChange> {
    for (const key of remembered.keys()) {
      if (seen.has(key)) continue;
      const known = remembered.get(key);
      remembered.delete(key);
      if (known !== undefined) yield missedDeletion(key, known);
    }
    seen = new Set();
    complete = true;
  }

  return {
    beginList() {
      seen = new Set();
      return NOTHING;
    },
    listed(event) {
      seen.add(keyOf(event));
      return put(event);
    },
    goneMeanwhile(event) {
      seen.delete(keyOf(event));
      return remove(event);
    },
    endList() {
      reused = false;
      return { given: missedDeletions(), again: false };
    },
    changed(type, object, position) {
      const revision = revisionOf(object);
      const known = remembered.get(keyOf(object));
      const order = compareRevisions(revision, position);
      if (order !== undefined && order <= 0) {
        const repeated = type === 'DELETED' ? known === undefined : known?.revision === revision;
        return repeated ? NOTHING : 'rewound';
      }
      const at = { position: revision };
      if (type === 'DELETED') return remove(object, at);
      if (known !== undefined && isOlder(revision, known.revision)) return NOTHING;
      const given = put(object, at);
      if (known !== undefined || complete || type !== 'MODIFIED') return given;
      // A modified event has existed before, even if it was never seen.
      return given.map((change) => ({ ...change, type: 'updated' }));
    },
    lost(_position, isRewound) {
      if (isRewound) {
        reused = true;
        start = undefined;
      }
      return NOTHING;
    },
  };
}

const previousOf = (known: Known | undefined) => known?.event && { previous: known.event };

const missedDeletion = (key: string, known: Known): EventChange => ({
  type: 'deleted',
  event: known.event ?? bareEvent(key, known),
  ...previousOf(known),
  missed: true,
});

/** An event of which only name, UID and revision are remembered. */
function bareEvent(key: string, { revision, uid }: Known): Event {
  const slash = key.indexOf('/');
  return {
    metadata: {
      name: key.slice(slash + 1),
      namespace: key.slice(0, slash),
      uid,
      resourceVersion: revision,
    },
  };
}
