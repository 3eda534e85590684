import { atNextTurn } from '../../clock/clock.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import { aFunction, required } from '../../options/rules.js';
import type { Change, Revision } from '../contract/event-store.js';

/** The options with which an engine opens a feed. */
export interface FeedOptions {
  /** The feed begins with the first change after this revision. */
  readonly after: Revision;
  /** See `ChangesOptions`. */
  readonly onProgress?: ((revision: Revision) => void) | undefined;
  /** To be called when there are changes to take, or the feed has failed. */
  wake(): void;
}

/** The source of the changes of a feed. */
export interface FeedSource {
  /**
   * Returns the next changes, ordered and without gaps; `undefined`: none yet, `wake` will be called. An error ends the
   * feed.
   */
  take(): readonly Change[] | undefined;
  /** Called once when the feed has ended, for whatever reason. */
  end?(): void;
}

/** Options of {@link createPagedFeeds}. */
export interface PagedFeedsOptions {
  /**
   * Returns the next changes after a revision, ordered and without gaps; empty when there are none yet. Fails with
   * `expired` when history does not reach back that far. An error ends the reader that called it. A store that need not
   * wait for the changes returns them without a promise.
   */
  read(after: Revision): readonly Change[] | Promise<readonly Change[]>;
}

/** Feeds over history that is read page by page. */
export interface PagedFeeds {
  /** Opens a feed. Use it as `StoreEngine.feed`. */
  open(options: FeedOptions): FeedSource;
  /** Reports that something may have been written: waiting readers read again, once per turn of the event loop. */
  wake(): void;
  /**
   * Reports changes that were written: all from the first to the last, in order. Readers that have all changes before
   * them need not read. Only for revisions that increase by one.
   */
  offer(changes: readonly Change[]): void;
  /** How many readers there are. */
  readonly readers: number;
}

/** The maximum number of changes that wait for a reader busy with earlier ones; beyond that it reads again. */
const OFFERED = 1024;

const RULES: OptionRules<PagedFeedsOptions> = { read: /* @__PURE__ */ required(aFunction) };

/**
 * Creates the feeds of an engine that can read its history page by page. A reader holds its position and at most one
 * page; it reads again when its consumer requests more, and waits for `wake()` when there was nothing.
 *
 * @throws TypeError listing every fault of the options
 */
export function createPagedFeeds(options: PagedFeedsOptions): PagedFeeds {
  checkOptions('createPagedFeeds', options, RULES);
  const { read } = options;
  /** A callback per reader that makes it read again, with the changes that were offered. */
  const notifiers = new Set<(changes?: readonly Change[]) => void>();
  let waking = false;

  const notifyAll = (): void => {
    waking = false;
    for (const notify of notifiers) notify();
  };

  return {
    open({ after, wake }) {
      let position = after;
      let page: readonly Change[] | undefined;
      let failure: { readonly error: unknown } | undefined;
      let loading = false;
      let mayHaveMore = true;
      /** Changes that were offered and not returned yet, without gaps. */
      let offered: Change[] = [];

      /** Returns the offered changes, if they continue at the reader's position. */
      const takeOffered = (): readonly Change[] | undefined => {
        const from = offered.findIndex(({ revision }) => revision > position);
        if (offered[from]?.revision !== position + 1) return undefined;
        const changes = offered.slice(from);
        offered = [];
        position = changes.at(-1)?.revision ?? position;
        return changes;
      };

      const passed = (changes: readonly Change[]): readonly Change[] | undefined => {
        if (changes.length === 0) return undefined;
        position = changes.at(-1)?.revision ?? position;
        mayHaveMore = true;
        return changes;
      };

      const load = async (reading: Promise<readonly Change[]>): Promise<void> => {
        loading = true;
        try {
          const changes = await reading;
          // Changes that were offered meanwhile may have been returned already.
          page = passed(changes.filter(({ revision }) => revision > position));
        } catch (error) {
          failure = { error };
        }
        loading = false;
        wake();
      };

      const notify = (changes?: readonly Change[]): void => {
        const next = (offered.at(-1)?.revision ?? position) + 1;
        if (changes === undefined || changes[0]?.revision !== next || offered.length >= OFFERED) mayHaveMore = true;
        if (changes !== undefined && offered.length < OFFERED) {
          if (changes[0]?.revision === next) offered.push(...changes);
          else offered = [...changes];
        }
        wake();
      };
      notifiers.add(notify);

      return {
        take() {
          if (failure !== undefined) throw failure.error;
          if (page !== undefined) {
            const ready = page;
            page = undefined;
            return ready;
          }
          const ready = takeOffered();
          if (ready !== undefined || loading || !mayHaveMore) return ready;
          mayHaveMore = false;
          const changes = read(position);
          if (Array.isArray(changes)) return passed(changes as readonly Change[]);
          void load(changes as Promise<readonly Change[]>);
          return undefined;
        },
        end: () => void notifiers.delete(notify),
      };
    },
    wake() {
      if (waking || notifiers.size === 0) return;
      waking = true;
      atNextTurn(notifyAll);
    },
    offer(changes) {
      for (const notify of notifiers) notify(changes);
    },
    get readers() {
      return notifiers.size;
    },
  };
}
