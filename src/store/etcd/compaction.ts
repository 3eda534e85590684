import { type ClockTimer, atNextTurn } from '../../clock/clock.js';
import { createFailureSeries } from '../../observe/failure-series.js';
import type { Notify } from '../../observe/observation.js';
import type { Revision } from '../contract/record.js';
import { hasCode } from '../contract/errors.js';
import type { EtcdClient } from './client.js';
import type { Layout } from './layout.js';
import type { EtcdSettings } from './options.js';

/** Samples for each length of history, in time and in bytes. */
const SAMPLES = 10;
const BYTES_EVERY_MS = 5000;

interface Sample {
  /** Monotonic: the wall clock may jump. */
  readonly at: number;
  readonly revision: Revision;
  readonly written: number;
}

/**
 * Records the latest revision from time to time, and compacts up to one that was recorded `historyMs` ago, or after
 * which the database grew by more than `historyMaxBytes`. The time is taken after the response, so that no revision
 * seems older than it is. Each process uses its own samples. Returns a function that ends it.
 */
export function startCompaction(
  client: EtcdClient,
  layout: Layout,
  { name, clock, historyMs, historyMaxBytes }: EtcdSettings,
  notify: Notify,
): () => void {
  const samples: Sample[] = [];
  const over = new AbortController();
  const failures = createFailureSeries(`compaction of ${name}`, notify, clock);
  const interval = Math.max(historyMs / SAMPLES, Math.min(historyMs, 1000));
  const every = Math.min(interval, BYTES_EVERY_MS);
  let timer: ClockTimer | undefined;
  let busy = false;
  let done = 0;
  let bytes: number | undefined;
  let written = 0;

  /** Space freed by compaction does not count against growth; neither does a failed request. */
  const measure = async (): Promise<void> => {
    const now = await client.bytesInUse(client.callContext(over.signal)).catch(() => undefined);
    if (now !== undefined && bytes !== undefined) written += Math.max(0, now - bytes);
    bytes = now;
  };

  const due = (): Revision => {
    const keptSince = clock.monotonic() - historyMs;
    let target = 0;
    while (samples[0] !== undefined && samples[0].at <= keptSince) target = samples.shift()?.revision ?? 0;
    let tooMuch = false;
    while (samples[0] !== undefined && written - samples[0].written > historyMaxBytes) {
      target = samples.shift()?.revision ?? 0;
      tooMuch = true;
    }
    return tooMuch ? (samples[0]?.revision ?? target) : target;
  };

  const step = async (): Promise<void> => {
    await measure();
    const target = due();
    if (target > done) {
      try {
        await client.compact(target, client.callContext(over.signal));
      } catch (error) {
        // Another replica has compacted it already.
        if (!hasCode(error, 'expired')) {
          if (!over.signal.aborted) failures.failed(error);
          throw error;
        }
      }
      failures.worked();
      done = target;
    }
    const last = samples.at(-1);
    const grown = last !== undefined && written - last.written > historyMaxBytes / SAMPLES;
    if (last !== undefined && !grown && clock.monotonic() - last.at < interval - every / 2) return;
    const { revision } = await client.range({ key: layout.storeKey, keysOnly: true }, client.callContext(over.signal));
    samples.push({ at: clock.monotonic(), revision, written });
  };

  const tick = (): void => {
    if (over.signal.aborted) return;
    timer = clock.setTimer(tick, every);
    if (busy) return;
    busy = true;
    // A fake clock that was advanced fires many timers at once, deadlines among them: requests begin afterwards.
    atNextTurn(() => {
      // Where it fails, history is kept for longer.
      void step()
        .catch(() => undefined)
        .finally(() => (busy = false));
    });
  };
  tick();

  return () => {
    over.abort();
    timer?.cancel();
  };
}
