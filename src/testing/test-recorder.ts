import { systemClock } from '../clock/clock.js';
import type { DropReason, EventInput, Recorder, RecorderStats } from '../client/recorder/contract.js';
import { occurrenceOf } from '../client/recorder/occurrence.js';
import { occurrenceSettings, reporterRules, type ReporterOptions } from '../client/recorder/options.js';
import { microTime } from '../time/timestamp.js';
import type { Event } from '../model/event.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { oneOf } from '../options/rules.js';

/** Options of {@link testRecorder}. */
export interface TestRecorderOptions extends Partial<ReporterOptions> {
  /**
   * How invalid input is treated. `throw`: `event` throws the fault, so that the test fails. `drop`: as in production.
   * Default: `throw`.
   */
  readonly invalid?: 'throw' | 'drop' | undefined;
}

/** A {@link Recorder} that keeps the recorded events in memory. */
export interface TestRecorder extends Recorder {
  /** Every call, as an event, in order. */
  readonly recorded: readonly Event[];
  /** The events that a server would have: equal ones are one event with a count. */
  readonly events: () => Event[];
  /** Invalid input that was dropped. */
  readonly dropped: readonly {
    /** `invalid`, or `closed` after `close`. */
    readonly reason: DropReason;
    /** The fault of the input, or that the recorder is closed. */
    readonly error: unknown;
  }[];
  /** Forgets everything. */
  readonly clear: () => void;
}

/**
 * Makes a recorder for tests: it copies, completes and checks events as `createRecorder` does, and writes them nowhere.
 * Everything is there as soon as `event` has returned. See `eventMatchers` for
 * `expect(recorder).toHaveRecorded({ reason: 'Paid' })`.
 *
 * @throws TypeError that lists every fault of the options
 */
export function testRecorder(options: TestRecorderOptions = {}): TestRecorder {
  checkOptions('testRecorder', options, rules());
  const { invalid = 'throw', reportingController = 'example.com/test', reportingInstance = 'test-0' } = options;
  const reporter: ReporterOptions = { ...options, reportingController, reportingInstance };
  const settings = occurrenceSettings(reporter, 'events.k8s.io');
  const { clock = systemClock } = reporter;

  const recorded: Event[] = [];
  const keys: string[] = [];
  const dropped: { readonly reason: DropReason; readonly error: unknown }[] = [];
  let closed = false;

  function event(input: EventInput): void {
    try {
      if (closed) throw new Error('the recorder is closed');
      const { event: made, key } = occurrenceOf(input, settings);
      recorded.push({ ...made, eventTime: microTime(clock.now()) });
      keys.push(key);
    } catch (error) {
      if (invalid === 'throw' && !closed) throw error;
      dropped.push({ reason: closed ? 'closed' : 'invalid', error });
    }
  }
  const events = (): Event[] => {
    const series = new Map<string, Event>();
    recorded.forEach((each, index) => {
      const key = keys[index] as string;
      const first = series.get(key);
      const count = (first?.series?.count ?? 1) + 1;
      const lastObservedTime = each.eventTime as string;
      series.set(key, first === undefined ? each : { ...first, series: { count, lastObservedTime } });
    });
    return [...series.values()];
  };
  const stats = (): RecorderStats => {
    const counts = { invalid: 0, full: 0, 'rate-limited': 0, refused: 0, expired: 0, closed: 0 };
    for (const { reason } of dropped) counts[reason] += 1;
    const written = recorded.length;
    return {
      recorded: written + dropped.length,
      written,
      pending: 0,
      dropped: counts,
      queued: 0,
      series: new Set(keys).size,
    };
  };
  const close = async (): Promise<void> => void (closed = true);
  return {
    event,
    recorded,
    events,
    dropped,
    clear() {
      recorded.length = keys.length = dropped.length = 0;
    },
    flush: () => Promise.resolve(),
    close,
    stats,
    [Symbol.asyncDispose]: close,
  } as TestRecorder;
}

const rules = (): OptionRules<TestRecorderOptions> => {
  const { reportingController, ...rest } = reporterRules();
  return {
    ...rest,
    reportingController: (value, name) => (value === undefined ? [] : reportingController(value, name)),
    invalid: oneOf('throw', 'drop'),
  };
};
