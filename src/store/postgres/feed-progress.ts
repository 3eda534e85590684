import type { Revision } from '../contract/event-store.js';
import type { FeedOptions, FeedSource } from '../feeds/paged-feed.js';

/**
 * Reports the progress of feeds: the start of a store raises the counter without a change, so that the feeds of other
 * stores on the same data learn of the revision only by reading that there is nothing before it.
 */
export function createFeedProgress() {
  const readers = new Set<(after: Revision, revision: Revision) => void>();

  return {
    /** To be called when there were no changes after one revision while another one was the latest. */
    nothing(after: Revision, revision: Revision): void {
      for (const reader of readers) reader(after, revision);
    },
    /** The same feed, which calls `onProgress`. */
    reported(source: FeedSource, { after, onProgress }: FeedOptions): FeedSource {
      if (onProgress === undefined) return source;
      /** The last change that was taken, and the revision that the consumer knows to be reached. */
      let position = after;
      let reached = after;
      const reader = (from: Revision, revision: Revision): void => {
        if (from !== position || revision <= reached) return;
        reached = revision;
        onProgress(revision);
      };
      readers.add(reader);
      return {
        take() {
          const changes = source.take();
          const last = changes?.at(-1);
          if (last !== undefined) position = reached = last.revision;
          return changes;
        },
        end() {
          readers.delete(reader);
          source.end?.();
        },
      };
    },
  };
}
