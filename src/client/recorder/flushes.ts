import { untilAborted } from '../../store/waiting/abortable.js';
import type { Series } from './series.js';

/** Those who wait until something is written. */
export interface Flushes {
  /** Resolves when every one of these has been written up to the count it has now, or dropped. */
  wait(series: Iterable<Series>, signal: AbortSignal | undefined): Promise<void>;
  /** Something was written or dropped. */
  settled(series: Series): void;
  /** Whether somebody waits for more of it. */
  wants(series: Series): boolean;
}

/** Makes {@link Flushes}. */
export function createFlushes(): Flushes {
  /** The counts that are waited for. */
  const waiting = new Set<{ readonly left: Map<Series, number>; readonly done: () => void }>();
  return {
    async wait(series, signal) {
      const left = new Map([...series].map((each) => [each, each.count]));
      if (left.size === 0) return;
      let flush!: { readonly left: Map<Series, number>; readonly done: () => void };
      const flushed = new Promise<void>((done) => waiting.add((flush = { left, done })));
      await untilAborted(flushed, signal).finally(() => waiting.delete(flush));
    },
    settled(series) {
      for (const { left, done } of waiting) {
        const count = left.get(series);
        if (count === undefined || (series.written < count && !series.dropped)) continue;
        left.delete(series);
        if (left.size === 0) done();
      }
    },
    wants: (series) => [...waiting].some(({ left }) => left.has(series)),
  };
}
