import type { EventRateLimit, EventRateLimitType, EventsOptions } from '../../index.js';

/** The options of `createEvents` that limit callers. */
export type LimitOptions = Required<Pick<EventsOptions, 'limits' | 'eventRateLimits'>>;

type RateFlagName =
  | 'event-rate-limit-server'
  | 'event-rate-limit-namespace'
  | 'event-rate-limit-user'
  | 'event-rate-limit-source-and-object';

const TYPES: Readonly<Record<RateFlagName, readonly [EventRateLimitType, string, string]>> = {
  'event-rate-limit-server': ['Server', 'off', 'all events'],
  'event-rate-limit-namespace': ['Namespace', 'off', 'the events of each namespace'],
  'event-rate-limit-user': ['User', 'off', 'the events that each user writes'],
  'event-rate-limit-source-and-object': ['SourceAndObject', '50/1000', 'the events of each source about each object'],
};

const RATE_FLAGS = Object.keys(TYPES) as readonly RateFlagName[];

/** One of the flags below. */
export interface LimitDefinition {
  readonly name: RateFlagName | 'limits';
  readonly value: string;
  readonly fallback: string;
  readonly help: string;
  readonly read: (text: string) => EventRateLimit | boolean | undefined;
}

/** The flags that limit what callers may do, as `flags.ts` defines them. */
export const LIMIT_DEFINITIONS: readonly LimitDefinition[] = [
  ...RATE_FLAGS.map((name) => ({
    name,
    value: 'qps/burst',
    fallback: TYPES[name][1],
    help: `How many events may be written: so many a second of ${TYPES[name][2]}, and so many at once; 429 beyond. QPS/BURST/KEYS also says for how many of them that is remembered (4096). "off": no such limit.`,
    read: rate(TYPES[name][0]),
  })),
  {
    name: 'limits' as const,
    value: 'on|off',
    fallback: 'on',
    help: 'off lifts all limits on callers, in flight, waiting and on rates: for measurements.',
    read: (text: string): boolean => {
      if (text === 'on' || text === 'off') return text === 'on';
      throw new Error('must be on or off');
    },
  },
];

/** What the flags come to. */
export function limitOptions(value: <T>(name: RateFlagName | 'limits') => T): LimitOptions {
  if (!value<boolean>('limits')) return { limits: NONE, eventRateLimits: [] };
  const rates = RATE_FLAGS.map((name) => value<EventRateLimit | undefined>(name));
  return { limits: {}, eventRateLimits: rates.filter((limit) => limit !== undefined) };
}

const NONE: LimitOptions['limits'] = {
  reads: Infinity,
  writes: Infinity,
  watches: Infinity,
  watchesPerCaller: Infinity,
  queued: Infinity,
  queuedPerCaller: Infinity,
};

function rate(type: EventRateLimitType): (text: string) => EventRateLimit | undefined {
  return (text) => {
    if (text === 'off') return undefined;
    const [, qps, burst, keys] = /^(\d{1,9}(?:\.\d{1,3})?)\/(\d{1,9})(?:\/(\d{1,7}))?$/.exec(text) ?? [];
    const limit = { type, qps: Number(qps), burst: Number(burst), ...(keys && { cacheSize: Number(keys) }) };
    if (limit.qps > 0 && limit.burst > 0 && limit.cacheSize !== 0) return limit;
    throw new Error('must be off or QPS/BURST, such as 50/1000');
  };
}
