import type { Change, ChangesOptions, Revision } from './contract.js';
import { atNextTurn } from '../clock/next-turn.js';
import { createParkedIterator, type ParkedIterator } from './parked-iterator.js';

/** For {@link createPagedFeeds}. */
export interface PagedFeedsOptions {
  /**
   * The next changes after a revision, ordered and without gaps; empty when there are none yet. Fails with `expired`
   * when history does not reach back so far. What it throws ends the reader that asked.
   */
  read(after: Revision): Promise<readonly Change[]>;
}

/** Feeds over history that is read page by page. */
export interface PagedFeeds {
  open(options: ChangesOptions): AsyncIterableIterator<readonly Change[]>;
  /** Something may have been written: readers that wait look again, once per turn of the event loop. */
  wake(): void;
  /**
   * These changes were written: all there are from the first to the last, in order. Readers that have all before them
   * need not look. Only for revisions that rise by one.
   */
  offer(changes: readonly Change[]): void;
  /** How many readers there are. */
  readonly readers: number;
  /** Ends all. */
  close(): void;
}

/** So many changes wait for a reader that is still busy with earlier ones; beyond that it reads again. */
const OFFERED = 1024;

/**
 * Makes the feeds of an engine that keeps its history elsewhere. A reader holds its position and at most one page; it
 * reads again when its consumer asks for more, and waits for `wake()` when there was nothing.
 */
export function createPagedFeeds({ read }: PagedFeedsOptions): PagedFeeds {
  const readers = new Set<ParkedIterator<readonly Change[]>>();
  const looks = new Set<(changes?: readonly Change[]) => void>();
  let waking = false;
  let closed = false;

  return {
    open({ after, signal }) {
      let position = after;
      let page: readonly Change[] | undefined;
      let failure: { readonly error: unknown } | undefined;
      let loading = false;
      /** There may be something after `position`. */
      let mayHaveMore = true;
      /** What was offered and not taken yet, without gaps. */
      let offered: Change[] = [];

      /** What was offered, if it goes on where the reader is. */
      const take = (): readonly Change[] | undefined => {
        const from = offered.findIndex(({ revision }) => revision > position);
        if (from === -1 || offered[from]?.revision !== position + 1) return undefined;
        const changes = from === 0 ? offered : offered.slice(from);
        offered = [];
        position = changes.at(-1)?.revision ?? position;
        return changes;
      };

      const load = async (): Promise<void> => {
        loading = true;
        mayHaveMore = false;
        try {
          const changes = (await read(position)).filter(({ revision }) => revision > position);
          if (changes.length > 0) {
            page = changes;
            position = changes.at(-1)?.revision ?? position;
            mayHaveMore = true;
          }
        } catch (error) {
          failure = { error };
        }
        loading = false;
        reader.wake();
      };

      const reader: ParkedIterator<readonly Change[]> = createParkedIterator({
        signal,
        onEnd() {
          readers.delete(reader);
          looks.delete(look);
        },
        poll() {
          if (failure !== undefined) throw failure.error;
          if (page !== undefined) {
            const ready = page;
            page = undefined;
            return ready;
          }
          const ready = take();
          if (ready === undefined && !loading && mayHaveMore) void load();
          return ready;
        },
      });
      const look = (changes?: readonly Change[]): void => {
        const next = (offered.at(-1)?.revision ?? position) + 1;
        if (changes === undefined || changes[0]?.revision !== next || offered.length >= OFFERED) mayHaveMore = true;
        if (changes !== undefined && offered.length < OFFERED) {
          if (changes[0]?.revision === next) offered.push(...changes);
          else offered = [...changes];
        }
        reader.wake();
      };
      if (closed) reader.end();
      else if (!signal?.aborted) {
        readers.add(reader);
        looks.add(look);
      }
      return reader;
    },
    wake() {
      if (waking || readers.size === 0) return;
      waking = true;
      atNextTurn(() => {
        waking = false;
        for (const look of [...looks]) look();
      });
    },
    offer(changes) {
      for (const look of [...looks]) look(changes);
    },
    get readers() {
      return readers.size;
    },
    close() {
      closed = true;
      for (const reader of [...readers]) reader.end();
    },
  };
}
