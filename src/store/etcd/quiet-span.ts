import type { Revision } from '../contract/record.js';

/**
 * A span of history in which certainly nothing happened to an event. Revisions of etcd also rise by what others write, so
 * that a reader of quiet events falls behind without missing anything; and when etcd is compacted, its place is gone.
 * What a feed has proven moves the next reader to the end of the span.
 */
export interface QuietSpan {
  /** No change lies after `from`, up to and with `to`. */
  prove(from: Revision, to: Revision): void;
  /** Where a reader after this revision may begin as well. */
  beyond(after: Revision): Revision;
  /** The beginning of the span, where a reader at `position` is inside it. */
  start(position: Revision): Revision;
}

/** Remembers the latest span. */
export function createQuietSpan(): QuietSpan {
  let from = 0;
  let to = 0;
  const holds = (position: Revision): boolean => from <= position && position <= to;
  return {
    prove(start, end) {
      if (end < to || (end === to && start >= from)) return;
      // A proof that begins inside the span goes on with it.
      from = start <= to && start >= from && to > from ? from : start;
      to = end;
    },
    beyond: (after) => (holds(after) ? to : after),
    start: (position) => (holds(position) ? from : position),
  };
}
