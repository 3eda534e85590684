import type { Revision } from '../contract.js';
import { createParkedIterator, type ParkedIterator } from '../parked-iterator.js';
import type { HubEntry } from './hub-entry.js';

/**
 * One watch: batches of changes in order, each change once. It is only a place in history: what is not asked for is not
 * kept for it. Fails with `expired` when neither ring nor store reach back to its place.
 */
export interface Watcher extends AsyncIterableIterator<readonly HubEntry[]> {
  /** Everything up to here was delivered. */
  readonly position: Revision;
  /** As `position`, where the consumer has taken everything up to it; undefined while a batch is on its way. */
  quiet(): Revision | undefined;
  return(): Promise<IteratorResult<readonly HubEntry[], undefined>>;
  /**
   * As `next()`, for who wants no promise and gave an `onWake`: `undefined`: nothing yet, `'end'`: it is over. Throws what
   * `next()` would reject with.
   */
  poll(): readonly HubEntry[] | 'end' | undefined;
}

/** A {@link Watcher} as the hub sees it. */
export interface HubWatcher extends Watcher {
  wake(): void;
  end(): void;
  /** Hands over what was read for it from history, in batches. */
  give(batches: readonly (readonly HubEntry[])[]): void;
  /** Nothing changed from its place up to this revision. */
  skip(to: Revision): void;
  /** Ends it with an error. */
  fail(error: unknown): void;
}

/** What a watcher needs of its hub. */
export interface WatcherSource {
  readonly after: Revision;
  readonly signal?: AbortSignal | undefined;
  /** Told that it is worth asking again. */
  readonly onWake?: (() => void) | undefined;
  /** The batch after a place; empty: nothing yet; `behind`: the ring begins later. */
  read(position: Revision): readonly HubEntry[] | 'behind';
  /** How far the ring is shown. Who finds nothing there has seen everything up to it. */
  head(): Revision;
  /** The watcher waits for something that is only in history. */
  lag(watcher: HubWatcher): void;
  /** It is over. */
  leave(watcher: HubWatcher): void;
}

/** Makes a watcher by hand; see `createParkedIterator` for the reason. */
export function createWatcher(source: WatcherSource): HubWatcher {
  let position = source.after;
  let given: readonly (readonly HubEntry[])[] = [];
  let failure: { readonly error: unknown } | undefined;
  /** A batch was handed out, and the consumer has not come back. */
  let out = false;
  let over = false;

  const read = (): readonly HubEntry[] | undefined => {
    if (failure !== undefined) throw failure.error;
    const [next] = given;
    if (next !== undefined) given = given.slice(1);
    const batch = next ?? source.read(position);
    if (batch === 'behind') {
      source.lag(watcher);
      return undefined;
    }
    const last = batch.at(-1);
    if (last === undefined) {
      position = Math.max(position, source.head());
      return undefined;
    }
    position = last.change.revision;
    out = true;
    return batch;
  };

  const parked: ParkedIterator<readonly HubEntry[]> = createParkedIterator({
    signal: source.signal,
    poll: read,
    onEnd() {
      if (over) return;
      leave();
      source.onWake?.();
    },
  });

  const leave = (): void => {
    over = true;
    source.leave(watcher);
  };
  const wake = (): void => {
    if (source.onWake === undefined) parked.wake();
    else source.onWake();
  };

  const watcher: HubWatcher = {
    [Symbol.asyncIterator]: () => watcher,
    next() {
      out = false;
      return parked.next();
    },
    return: () => parked.return(),
    poll() {
      out = false;
      if (over) return 'end';
      try {
        return read();
      } catch (error) {
        leave();
        parked.end();
        throw error;
      }
    },
    wake,
    end: () => parked.end(),
    get position() {
      return position;
    },
    quiet: () => (out ? undefined : position),
    skip(to) {
      position = Math.max(position, to);
      wake();
    },
    give(batches) {
      given = batches;
      wake();
    },
    fail(error) {
      failure = { error };
      wake();
    },
  };
  return watcher;
}
