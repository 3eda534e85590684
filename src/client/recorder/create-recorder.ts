import { systemClock, type ClockTimer } from '../../clock/clock.js';
import { createTokenBuckets } from '../../limits/token-buckets.js';
import { keepProcessAlive } from '../../clock/keep-process-alive.js';
import { checkOptions } from '../../options/check-options.js';
import { microTime } from '../../time/timestamp.js';
import type { DropReason, EventInput, FlushOptions, Recorder, RecorderStats } from './contract.js';
import { createLanes } from './lanes.js';
import { createEventNames } from './names.js';
import { occurrenceOf, type Occurrence } from './occurrence.js';
import { occurrenceSettings, recorderRules, type RecorderOptions } from './options.js';
import { createReports } from './reports.js';
import { createSeriesTable, newSeries, type Series } from './series.js';
import { writeSeries, type EventWriter } from './write-series.js';

const MAX_SOURCES = 4_096;
/** When the clock is set back by less than this, the recorder's times still rise; otherwise they follow the clock. */
const STEADY_MICROS = 1_000_000;

/**
 * Makes a recorder: it writes events, equal ones as a series with a count, without the caller waiting for it.
 *
 * ```ts
 * const recorder = createRecorder({ events, reportingController: 'example.com/shop' });
 * recorder.event({ regarding: { kind: 'Order', name: 'o-17' }, reason: 'Paid', action: 'Charge', note: '3 × tea' });
 * await recorder.close();
 * ```
 *
 * @throws TypeError that lists every fault of the options
 */
export function createRecorder(options: RecorderOptions): Recorder {
  checkOptions('createRecorder', options, recorderRules());
  const { events, reportingController, observe, clock = systemClock, refreshMs = 10_000 } = options;
  const { maxQueued = 20_000, maxQueuedBytes = 67_108_864, maxAgeMs = 3_600_000, closeTimeoutMs = 10_000 } = options;
  const { perSecond: qps, burst } = options.rateLimit || { perSecond: 50, burst: 20_000 };
  const settings = occurrenceSettings(options, events.group, (events as { readonly namespace?: string }).namespace);
  const names = createEventNames();
  const buckets =
    options.rateLimit === false ? undefined : createTokenBuckets({ qps, burst, maxKeys: MAX_SOURCES, clock });
  const stopping = new AbortController();

  let recorded = 0;
  let written = 0;
  let lastMicros = 0;
  let unwrittenBytes = 0;
  let timer: ClockTimer | undefined;
  let closed: Promise<void> | undefined;
  let client: EventWriter | undefined;
  /** The timer fires four times in an interval; a series is written in the last quarter of its interval. */
  const tickMs = refreshMs / 4;
  const unwritten = new Set<Series>();
  /** Wake the calls of `flush` when something is written or dropped. */
  const waiting = new Set<() => void>();

  const stats = (): RecorderStats => {
    const dropped = { ...reports.dropped };
    const pending = Object.values(dropped).reduce((rest, count) => rest - count, recorded - written);
    return { recorded, written, pending, dropped, queued: lanes.size(), series: table.size() };
  };
  const reports = createReports(async () => {
    const { createActivityReporter } = await import('./activity-reporter.js');
    return createActivityReporter(reportingController, observe, clock, stats);
  });
  const changed = (): void => {
    if (observe) reports.activity()?.changed();
  };

  const table = createSeriesTable(options.maxSeries ?? 4_096, options.idleMs ?? 360_000, (series) => {
    if (unwritten.has(series)) enqueue(series);
  });

  const updated = (series: Series): void => {
    const isDone = series.dropped || series.written === series.count;
    if (isDone && unwritten.delete(series)) unwrittenBytes -= series.bytes;
    for (const wake of waiting) wake();
    changed();
  };
  const drop = (series: Series, reason: DropReason, error: unknown): void => {
    series.dropped = true;
    table.remove(series);
    reports.drop(reason, series.count - series.written, error, series.event);
    updated(series);
  };

  const lanes = createLanes({
    lanes: options.maxInFlight ?? 4,
    clock,
    signal: stopping.signal,
    async write(series, signal) {
      client ??= await clientOf(options);
      const newName = (): string => names(series.event, clock.now());
      const count = await writeSeries(client, series, newName, signal);
      reports.worked();
      if (series.dropped) return;
      written += count - series.written;
      series.written = count;
      series.writtenAt = series.waitingSince = clock.monotonic();
      series.busy = false;
      updated(series);
      if (count < series.count) schedule(series);
    },
    failed(series, error, isFinal) {
      if (isFinal) drop(series, 'refused', error);
      else if (clock.monotonic() - series.waitingSince >= maxAgeMs) drop(series, 'expired', error);
      else reports.activity()?.failed(error);
      return series.dropped;
    },
  });

  function enqueue(series: Series): void {
    if (series.busy || series.dropped) return;
    series.busy = true;
    lanes.push(series);
  }

  /** Writes it now, if the server has no count yet, else when the interval is over. */
  function schedule(series: Series): void {
    if (series.written <= 1 || clock.monotonic() - series.writtenAt >= refreshMs - tickMs) enqueue(series);
    else timer ??= clock.setTimer(refresh, tickMs);
  }

  function refresh(): void {
    timer = undefined;
    for (const series of unwritten) schedule(series);
  }

  function count(occurrence: Occurrence): void {
    const now = clock.monotonic();
    const micros = clock.now();
    const isSteady = micros <= lastMicros && lastMicros - micros < STEADY_MICROS;
    lastMicros = isSteady ? lastMicros + 1 : micros;
    let series = table.find(occurrence.key, now);
    if (series === undefined) {
      const waitMs = buckets?.take(occurrence.source) ?? 0;
      if (waitMs > 0) return refuse(occurrence, 'rate-limited', `more than ${qps} events a second about one object`);
      if (lanes.size() >= maxQueued || unwrittenBytes + occurrence.bytes > maxQueuedBytes) {
        return refuse(occurrence, 'full', `${lanes.size()} events are waiting`);
      }
      series = newSeries(occurrence, names(occurrence.event, lastMicros), microTime(lastMicros));
      table.add(series);
    }
    series.count += 1;
    series.lastMicros = lastMicros;
    series.lastSeen = now;
    if (!unwritten.has(series)) {
      unwritten.add(series);
      unwrittenBytes += series.bytes;
      series.waitingSince = now;
    }
    schedule(series);
    changed();
  }

  function refuse(occurrence: Occurrence, reason: DropReason, text: string): void {
    reports.drop(reason, 1, new Error(text), occurrence.event);
  }

  function event(input: EventInput): void {
    recorded += 1;
    try {
      const occurrence = occurrenceOf(input, settings);
      if (closed) refuse(occurrence, 'closed', 'the recorder is closed');
      else count(occurrence);
    } catch (error) {
      reports.drop('invalid', 1, error);
    }
  }

  async function flush(given?: FlushOptions): Promise<void> {
    // Its own, as in the lanes: many calls may share one.
    const signal = AbortSignal.any([given?.signal ?? []].flat());
    signal.throwIfAborted();
    const release = keepProcessAlive();
    let done: (() => void) | undefined;
    const wake = (): void => done?.();
    waiting.add(wake);
    signal.addEventListener('abort', wake);
    try {
      const counts = new Map<Series, number>();
      for (const series of unwritten) {
        counts.set(series, series.count);
        enqueue(series);
      }
      for (const [series, count] of counts) {
        while (!series.dropped && series.written < count) {
          enqueue(series);
          await new Promise<void>((resolve) => (done = resolve));
          signal.throwIfAborted();
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      release();
    }
  }

  async function end(given?: FlushOptions): Promise<void> {
    const limit = new AbortController();
    const late = clock.setTimer(() => limit.abort(new Error('not written in time')), closeTimeoutMs);
    await flush({ signal: AbortSignal.any([limit.signal, given?.signal ?? []].flat()) }).catch((error: unknown) => {
      for (const series of unwritten) drop(series, 'closed', error);
    });
    late.cancel();
    timer?.cancel();
    stopping.abort();
    await reports.close();
  }
  const close = (given?: FlushOptions): Promise<void> => (closed ??= end(given));

  return { event, flush, close, stats, [Symbol.asyncDispose]: close } as Recorder;
}

async function clientOf(options: RecorderOptions): Promise<EventWriter> {
  const { events, reportingController, caller = { name: reportingController }, clock } = options;
  if ('create' in events) return events;
  // Loaded on first use: a service that gives a client need not bundle another.
  const { createEventsClient } = await import('../requests/create-events-client.js');
  return createEventsClient({ events, caller, clock });
}
