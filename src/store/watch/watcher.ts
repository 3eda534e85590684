import type { Revision } from '../contract.js';
import { createParkedIterator, type ParkedIterator, type Taker } from '../parked-iterator.js';
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
  /** As `next()`, told to somebody who wants no promise. */
  take(taker: Taker<readonly HubEntry[]>): void;
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
  /** The batch after a place; empty: nothing yet; `behind`: the ring begins later. */
  read(position: Revision): readonly HubEntry[] | 'behind';
  /** How far the ring reaches. Who finds nothing there has seen everything up to it. */
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

  const poll = (): readonly HubEntry[] | undefined => {
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
    poll,
    onEnd: () => source.leave(watcher),
  });

  const watcher: HubWatcher = {
    [Symbol.asyncIterator]: () => watcher,
    next() {
      out = false;
      return parked.next();
    },
    return: () => parked.return(),
    take(taker) {
      out = false;
      parked.take(taker);
    },
    wake: () => parked.wake(),
    end: () => parked.end(),
    get position() {
      return position;
    },
    quiet: () => (out ? undefined : position),
    skip(to) {
      position = Math.max(position, to);
      parked.wake();
    },
    give(batches) {
      given = batches;
      parked.wake();
    },
    fail(error) {
      failure = { error };
      parked.wake();
    },
  };
  return watcher;
}
