import { isLabel, isQualifiedName } from '../../api/validation/name-forms.js';
import type { Clock } from '../../clock/clock.js';
import type { Caller } from '../../model/caller.js';
import type { Observe } from '../../observe/observation.js';
import type { OptionRules } from '../../options/check-options.js';
import {
  aBoolean,
  aClock,
  aFunction,
  aNumber,
  aWholeNumber,
  hasFunctions,
  mustBe,
  required,
  isNonEmptyString,
} from '../../options/rules.js';
import type { EventsClient } from '../contract/events-client.js';
import { aCaller, type ServedEvents } from '../requests/options.js';
import type { Regarding } from './contract.js';
import { aWord, type OccurrenceSettings } from './occurrence.js';
import { referenceTo } from './references.js';

/** How many new events a source may make. A source is the object that events are about. */
export interface RecorderRateLimit {
  /** The sustained rate, in events per second. */
  readonly perSecond: number;
  /** The maximum number of events in a burst. */
  readonly burst: number;
}

/** The client of a recorder, as `createEventsClient` makes it. */
export type RecorderClient = Pick<EventsClient, 'group' | 'namespace' | 'create' | 'get' | 'patch'>;

/** The common options of recorders, those of tests included. */
export interface ReporterOptions {
  /** The reporter: a qualified name such as `example.com/shop`, whose first part is your domain. */
  readonly reportingController: string;
  /**
   * Which instance reports, such as the name of the pod, at most 128 bytes. Default: the last part of the controller's
   * name, and eight random digits.
   */
  readonly reportingInstance?: string | undefined;
  /**
   * The namespace of objects outside Kubernetes, such as the service itself. Default: that of the client, else
   * `default`.
   */
  readonly namespace?: string | undefined;
  /**
   * The default of an event's `regarding`. Default: the service, `{ kind: 'Service', name: 'shop' }` for
   * `example.com/shop`.
   */
  readonly regarding?: Regarding | undefined;
  /**
   * Whether events with different notes are different events. With false they are counted together, and the note of the
   * first stays: for notes that are never the same twice. Default: true.
   */
  readonly noteInKey?: boolean | undefined;
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Options of `createRecorder`. */
export interface RecorderOptions extends ReporterOptions {
  /**
   * Where events are written: a client of `createEventsClient`, or the object of `createEvents` of the same process.
   */
  readonly events: RecorderClient | ServedEvents;
  /**
   * With the object of `createEvents`: the caller of the requests, about whom `authorize` decides. Default: the name of
   * the controller.
   */
  readonly caller?: (Pick<Caller, 'name'> & Partial<Caller>) | undefined;
  /**
   * How long the count on the server may lag behind, in milliseconds, while the server can be reached: a series is
   * written about that often. Default: 10,000. From 100 to 3,600,000.
   */
  readonly refreshMs?: number | undefined;
  /**
   * After how long without an equal event a series ends, and the next begins, in milliseconds. Default: 360,000, as
   * client-go. From 1,000.
   */
  readonly idleMs?: number | undefined;
  /**
   * The most series that equal events can continue; the least recently used one is written and dropped. Default: 4,096.
   */
  readonly maxSeries?: number | undefined;
  /** The most events that wait to be written; further ones are dropped as `full`. Default: 20,000. */
  readonly maxQueued?: number | undefined;
  /** The most memory that waiting events may take, estimated, in bytes. Default: 67,108,864 (64 MiB). */
  readonly maxQueuedBytes?: number | undefined;
  /**
   * Limits new events by source; equal events, which only raise a count, are not limited. `false`: no limit. Default:
   * 50 a second, 20,000 at once.
   */
  readonly rateLimit?: RecorderRateLimit | false | undefined;
  /**
   * How long an event may wait for an unavailable server, in milliseconds; then it is dropped as `expired`. Default:
   * 3,600,000.
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * The maximum number of concurrent requests, and one more for events that the server fails with, as with a 500. Those
   * about one object are sent one after the other. Default: 4.
   */
  readonly maxInFlight?: number | undefined;
  /** How long `close` waits for unwritten events, in milliseconds. Default: 10,000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Receives dropped events, an unavailable server, and the counts once a second. Default: warnings of the process. */
  readonly observe?: Observe | undefined;
}

const DAY_MS = 86_400_000;

export const reporterRules = (): OptionRules<ReporterOptions> => ({
  reportingController: required(
    mustBe((value) => isNonEmptyString(value) && isQualifiedName(value), 'a name such as example.com/shop'),
  ),
  reportingInstance: aWord,
  namespace: mustBe((value) => isNonEmptyString(value) && value.length <= 63 && isLabel(value), 'a namespace'),
  regarding: (value, name) => {
    const faults: string[] = [];
    if (value !== undefined)
      referenceTo(value ?? {}, name, { apiVersion: 'v1', namespace: 'default', group: '' }, faults);
    return faults;
  },
  noteInKey: aBoolean,
  clock: aClock,
});

const isEvents = (value: unknown): boolean => hasFunctions(value, ['as']) || hasFunctions(value, ['create']);

const isRate = (value: unknown): boolean => {
  const { perSecond = 0, burst = 0 } = (value ?? {}) as Partial<RecorderRateLimit>;
  return perSecond > 0 && burst >= 1;
};

export const recorderRules = (): OptionRules<RecorderOptions> => ({
  ...reporterRules(),
  events: required(mustBe(isEvents, 'an object of createEventsClient or createEvents')),
  caller: aCaller,
  refreshMs: aNumber(100, 3_600_000),
  idleMs: aNumber(1_000, DAY_MS),
  maxSeries: aWholeNumber(1, 1_000_000),
  maxQueued: aWholeNumber(1, 10_000_000),
  maxQueuedBytes: aWholeNumber(1),
  rateLimit: mustBe((value) => value === false || isRate(value), 'false, or perSecond and burst above 0'),
  maxAgeMs: aNumber(1_000, DAY_MS),
  maxInFlight: aWholeNumber(1, 256),
  closeTimeoutMs: aNumber(0, DAY_MS),
  observe: aFunction,
});

export function occurrenceSettings(
  options: ReporterOptions,
  group: string,
  clientNamespace?: string,
): OccurrenceSettings {
  const { reportingController, noteInKey = true } = options;
  const [domain = '', name = domain] = reportingController.split('/');
  return {
    reportingController,
    reportingInstance: options.reportingInstance ?? `${name}-${crypto.randomUUID().slice(0, 8)}`,
    apiVersion: `${domain}/v1`,
    namespace: options.namespace ?? clientNamespace ?? 'default',
    group,
    regarding: options.regarding ?? { kind: 'Service', name },
    noteInKey,
  };
}
