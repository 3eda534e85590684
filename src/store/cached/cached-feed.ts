import type { Change, EventStore, Revision } from '../contract/event-store.js';
import type { FeedOptions, FeedSource } from '../feeds/paged-feed.js';
import type { Replica } from '../memory/replica.js';
import type { WatchCache } from './watch-cache.js';

const BATCH = 1024;

export interface CachedFeedOptions extends FeedOptions {
  readonly store: EventStore;
  readonly cache: WatchCache;
  saw(revision: Revision): void;
}

/** A feed of the store that is read while the cache does not reach back far enough. */
interface Through {
  readonly abort: AbortController;
  readonly feed: AsyncIterator<readonly Change[]>;
  isReading: boolean;
  batch: readonly Change[] | undefined;
  failure: { readonly error: unknown } | undefined;
}

/** A feed over the history in the cache, or in the store where that begins later; one position serves both. */
export function openCachedFeed({ store, cache, saw, after, onProgress, wake }: CachedFeedOptions): FeedSource {
  let position = after;
  let through: Through | undefined;
  const unsubscribe = cache.subscribe(wake);

  const leaveStore = (): void => {
    through?.abort.abort();
    through = undefined;
  };

  const read = async (from: Through): Promise<void> => {
    from.isReading = true;
    try {
      const step = await from.feed.next();
      // The feed ended by itself: if the store was closed, this fails with `closed`.
      if (step.done === true) await store.revision({ signal: from.abort.signal });
      else from.batch = step.value;
    } catch (error) {
      from.failure = { error };
    }
    from.isReading = false;
    if (through === from) wake();
  };

  const openStore = (): Through => {
    const abort = new AbortController();
    const onStoreProgress = (revision: Revision): void => {
      if (abort.signal.aborted || revision <= position) return;
      position = revision;
      onProgress?.(revision);
    };
    const changes = store.changes({ after: position, signal: abort.signal, onProgress: onStoreProgress });
    const feed = changes[Symbol.asyncIterator]();
    return { abort, feed, isReading: false, batch: undefined, failure: undefined };
  };

  const takeFromStore = (): readonly Change[] | undefined => {
    through ??= openStore();
    const { batch, failure } = through;
    if (failure !== undefined) throw failure.error;
    if (batch === undefined) {
      if (!through.isReading) void read(through);
      return undefined;
    }
    through.batch = undefined;
    position = batch.at(-1)?.revision ?? position;
    saw(position);
    return batch;
  };

  const takeFromCache = (replica: Replica): readonly Change[] | undefined => {
    const changes = replica.changes(position, BATCH);
    const last = changes.at(-1);
    if (last !== undefined) {
      position = last.revision;
      return changes;
    }
    const seen = replica.revision();
    if (seen > position) {
      position = seen;
      onProgress?.(seen);
    }
    return undefined;
  };

  return {
    take() {
      const { replica } = cache;
      // A feed that reads the store and is ahead of the cache continues there until the cache has caught up.
      const isCached =
        replica !== undefined &&
        position >= replica.floor() &&
        (through === undefined || position <= replica.revision());
      if (!isCached) return takeFromStore();
      leaveStore();
      return takeFromCache(replica);
    },
    end() {
      unsubscribe();
      leaveStore();
    },
  };
}
