import type { Event } from '../../model/event.js';
import type { EventChange, RelistedNotice } from './changes.js';
import { compareRevisions, isOlder, revisionOf } from '../requests/revisions.js';
import type { View } from './view.js';

const TYPES = { ADDED: 'added', MODIFIED: 'updated', DELETED: 'deleted' } as const;

/** Keeps no events: reports where changes were missed, and returns existing events; `onlyNewer`: after the position. */
export function createPassThroughView(onlyNewer: boolean): View<EventChange | RelistedNotice> {
  let after: string | undefined;
  /** A part of a list has been returned, which is void if the list begins again. */
  let begun = false;
  const isMissed = (event: Event): boolean => {
    const order = after === undefined ? undefined : compareRevisions(revisionOf(event), after);
    return order === undefined || order > 0;
  };
  return {
    beginList() {
      const isAgain = begun;
      begun = false;
      return isAgain ? [{ type: 'relisted' }] : [];
    },
    listed(event) {
      if (!isMissed(event)) return [];
      begun = true;
      return [{ type: 'added', event }];
    },
    goneMeanwhile: (event) => [{ type: 'deleted', event }],
    endList() {
      begun = false;
      return { given: [], again: false };
    },
    changed(type, object, position) {
      const revision = revisionOf(object);
      // Without revisions it may be any change.
      if (revision === position && revision !== '') return [];
      if (revision === position || isOlder(revision, position)) return 'rewound';
      return [{ type: TYPES[type], event: object, position: revision }];
    },
    lost(position, isRewound) {
      after = onlyNewer && !isRewound ? position : undefined;
      return [{ type: 'relisted' }];
    },
  };
}
