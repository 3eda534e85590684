import { atNextTurn } from '../../clock/clock.js';
import { checkOptions, type OptionRules } from '../../options/check-options.js';
import { aFunction, required } from '../../options/rules.js';
import type { Change, Revision } from '../contract/event-store.js';

/** What an engine is told about a feed that is opened. */
export interface FeedOptions {
  /** The feed begins with the first change after this revision. */
  readonly after: Revision;
  /** See `ChangesOptions`. */
  readonly onProgress?: ((revision: Revision) => void) | undefined;
  /** There is something to take, or the feed has failed. */
  wake(): void;
}

/** Where a feed takes its changes from. */
export interface FeedSource {
  /** The next changes, ordered and without gaps; `undefined`: none yet, `wake` follows. What it throws ends the feed. */
  take(): readonly Change[] | undefined;
  /** The feed has ended, for whatever reason. Called once. */
  end?(): void;
}

/** For {@link createPagedFeeds}. */
export interface PagedFeedsOptions {
  /**
   * The next changes after a revision, ordered and without gaps; empty when there are none yet. Fails with `expired`
   * when history does not reach back so far. What it throws ends the reader that asked. A store that need not wait for
   * them gives them without a promise.
   */
  read(after: Revision): readonly Change[] | Promise<readonly Change[]>;
}

/** Feeds over history that is read page by page. */
export interface PagedFeeds {
  /** For `StoreEngine.feed`. */
  open(options: FeedOptions): FeedSource;
  /** Something may have been written: readers that wait look again, once per turn of the event loop. */
  wake(): void;
  /**
   * These changes were written: all there are from the first to the last, in order. Readers that have all before them
   * need not look. Only for revisions that rise by one.
   */
  offer(changes: readonly Change[]): void;
  /** How many readers there are. */
  readonly readers: number;
}

/** So many changes wait for a reader that is still busy with earlier ones; beyond that it reads again. */
const OFFERED = 1024;

const RULES: OptionRules<PagedFeedsOptions> = { read: /* @__PURE__ */ required(aFunction) };

/**
 * Makes the feeds of an engine that can read its history page by page. A reader holds its position and at most one page;
 * it reads again when its consumer asks for more, and waits for `wake()` when there was nothing.
 *
 * @throws TypeError listing every fault of the options
 */
export function createPagedFeeds(options: PagedFeedsOptions): PagedFeeds {
  checkOptions('createPagedFeeds', options, RULES);
  const { read } = options;
  /** How each reader is told to look again. */
  const looks = new Set<(changes?: readonly Change[]) => void>();
  let waking = false;

  const lookAgain = (): void => {
    waking = false;
    for (const look of looks) look();
  };

  return {
    open({ after, wake }) {
      let position = after;
      let page: readonly Change[] | undefined;
      let failure: { readonly error: unknown } | undefined;
      let loading = false;
      /** There may be something after `position`. */
      let mayHaveMore = true;
      /** What was offered and not taken yet, without gaps. */
      let offered: Change[] = [];

      /** What was offered, if it goes on where the reader is. */
      const takeOffered = (): readonly Change[] | undefined => {
        const from = offered.findIndex(({ revision }) => revision > position);
        if (from === -1 || offered[from]?.revision !== position + 1) return undefined;
        const changes = from === 0 ? offered : offered.slice(from);
        offered = [];
        position = changes.at(-1)?.revision ?? position;
        return changes;
      };

      /** Moves on behind a page; `undefined` when nothing is in it. */
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
          // What was offered meanwhile may have been taken.
          page = passed(changes.filter(({ revision }) => revision > position));
        } catch (error) {
          failure = { error };
        }
        loading = false;
        wake();
      };

      const look = (changes?: readonly Change[]): void => {
        const next = (offered.at(-1)?.revision ?? position) + 1;
        if (changes === undefined || changes[0]?.revision !== next || offered.length >= OFFERED) mayHaveMore = true;
        if (changes !== undefined && offered.length < OFFERED) {
          if (changes[0]?.revision === next) offered.push(...changes);
          else offered = [...changes];
        }
        wake();
      };
      looks.add(look);

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
          if (!(changes instanceof Promise)) return passed(changes);
          void load(changes);
          return undefined;
        },
        end: () => void looks.delete(look),
      };
    },
    wake() {
      if (waking || looks.size === 0) return;
      waking = true;
      atNextTurn(lookAgain);
    },
    offer(changes) {
      for (const look of looks) look(changes);
    },
    get readers() {
      return looks.size;
    },
  };
}
