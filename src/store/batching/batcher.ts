import { onAbort } from '../../clock/abortable.js';
import { type Clock, type ClockTimer, atNextTurn } from '../../clock/clock.js';

export interface BatcherOptions<Item, Result> {
  /** Returns one result or Error for each item, in their order. An error that it throws fails every item. */
  run(items: readonly Item[]): Promise<readonly (Result | Error)[]>;
  /** Returns the weight of an item, for `maxWeight`. Default: 1 each. */
  weigh?(item: Item): number;
  /** Items with the same key never share a batch, and run in their order. Requires `concurrency` 1. Default: no keys. */
  keyOf?(item: Item): string;
  readonly maxItems: number;
  /** The maximum weight of a batch; a single item may weigh more. Default: no limit. */
  readonly maxWeight?: number;
  readonly concurrency?: number;
  /**
   * With this many waiting items a batch begins at once, and with fewer only when no other one is in progress. Default:
   * each batch has all items of a turn of the event loop, however few.
   */
  readonly enough?: number;
  /** How long an item may wait for its batch to begin, and the error it fails with after that. Default: no limit. */
  readonly maxWait?: { readonly ms: number; readonly clock: Clock; error(): Error };
}

export type Batcher<Item, Result> = ReturnType<typeof createBatcher<Item, Result>>;

interface Entry<Item, Result> {
  readonly item: Item;
  readonly key: string | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Removes the listener from the item's signal, if it has one. */
  readonly unlisten: () => void;
  /** Performs the batch that begins with this item. */
  readonly begin: (batch: readonly Entry<Item, Result>[]) => void;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/**
 * Creates a batcher for group commit: items that are added while a batch is in progress form the next one, and share
 * its commit. The first batch after an idle time has all items of that turn of the event loop, or `enough` of them. A
 * batch runs in the AsyncLocalStorage context of its first item, not of the batch before it.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>) {
  const { maxItems, maxWeight = Infinity, concurrency = 1, enough, maxWait } = options;
  type One = Entry<Item, Result>;
  let waiting: One[] = [];
  const whenIdle: (() => void)[] = [];
  let underWay = 0;
  let scheduled = false;
  let closedBy: (() => Error) | undefined;
  let maxWaitTimer: ClockTimer | undefined;

  /** Removes the next batch from the queue. Items whose key is in that batch wait, in order. */
  const take = (): One[] => {
    const batch: One[] = [];
    const rest: One[] = [];
    const keys = new Set<string | undefined>();
    let weight = 0;
    let index = 0;
    for (; index < waiting.length && batch.length < maxItems; index++) {
      const entry = waiting[index] as One;
      const { key } = entry;
      if (keys.has(key)) {
        rest.push(entry);
        continue;
      }
      const weighs = options.weigh?.(entry.item) ?? 1;
      if (batch.length > 0 && weight + weighs > maxWeight) break;
      weight += weighs;
      if (key !== undefined) keys.add(key);
      batch.push(entry);
    }
    waiting = [...rest, ...waiting.slice(index)];
    return batch;
  };

  const resolveWhenIdle = (): void => {
    if (underWay > 0) return;
    for (const resolve of whenIdle.splice(0)) resolve();
  };

  const fail = (entries: readonly One[], error: () => Error): void => {
    for (const entry of entries) {
      entry.unlisten();
      entry.reject(error());
    }
  };

  const perform = async (batch: readonly One[]): Promise<void> => {
    try {
      const results = await options.run(batch.map(({ item }) => item));
      for (const [index, entry] of batch.entries()) {
        const result = results[index];
        if (result instanceof Error) entry.reject(result);
        else entry.resolve(result as Result);
      }
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
    underWay -= 1;
    start();
    resolveWhenIdle();
  };

  const start = (): void => {
    while (underWay < concurrency && waiting.length >= (underWay === 0 ? 1 : (enough ?? 1))) {
      underWay += 1;
      const batch = take();
      for (const entry of batch) entry.unlisten();
      (batch[0] as One).begin(batch);
    }
    watchWaits();
  };

  /** Fails items that have waited too long. One timer serves all: the first in the queue has waited longest. */
  const watchWaits = (): void => {
    const first = waiting[0];
    if (maxWait === undefined || maxWaitTimer !== undefined || first === undefined) return;
    const { ms, clock, error } = maxWait;
    maxWaitTimer = clock.setTimer(
      () => {
        maxWaitTimer = undefined;
        const before = clock.monotonic() - ms;
        const late = waiting.filter(({ since }) => since <= before);
        waiting = waiting.filter(({ since }) => since > before);
        fail(late, error);
        watchWaits();
      },
      first.since + ms - clock.monotonic(),
    );
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    atNextTurn(() => {
      scheduled = false;
      start();
    });
  };

  return {
    /** Adds an item to the next batch. An aborted signal removes it if its batch has not begun. */
    add: (item: Item, signal?: AbortSignal): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (closedBy !== undefined) throw closedBy();
        signal?.throwIfAborted();
        const since = maxWait?.clock.monotonic() ?? 0;
        const unlisten = onAbort(signal, () => {
          waiting = waiting.filter((other) => other !== entry);
          reject(signal?.reason as Error);
        });
        let begin!: One['begin'];
        void new Promise<readonly One[]>((first) => (begin = first)).then(perform);
        const entry: One = { item, key: options.keyOf?.(item), resolve, reject, unlisten, begin, since };
        waiting.push(entry);
        if (enough !== undefined && waiting.length >= enough) start();
        else schedule();
      }),
    failWaiting: (error: () => Error): void => fail(waiting.splice(0), error),
    /** Fails all items whose batch has not begun, and later ones; resolves when the batches in progress have ended. */
    close(error: () => Error): Promise<void> {
      closedBy ??= error;
      maxWaitTimer?.cancel();
      fail(waiting.splice(0), error);
      return new Promise((resolve) => {
        whenIdle.push(resolve);
        resolveWhenIdle();
      });
    },
  };
}
