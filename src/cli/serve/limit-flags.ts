import { constrainedMemory } from 'node:process';
import type { EventRateLimit, EventRateLimitType, EventsOptions } from '../../index.js';
import { oneOf, type FlagDefinition, type FlagTable } from '../command-line/parse-command-line.js';

export type LimitOptions = Required<Pick<EventsOptions, 'limits' | 'eventRateLimits'>>;

export interface LimitFlags {
  readonly eventRateLimitServer: EventRateLimit | undefined;
  readonly eventRateLimitNamespace: EventRateLimit | undefined;
  readonly eventRateLimitUser: EventRateLimit | undefined;
  readonly eventRateLimitSourceAndObject: EventRateLimit | undefined;
  readonly limits: boolean;
}

export const limitFlags: FlagTable<LimitFlags> = {
  'event-rate-limit-server': rateFlag('Server', 'off', 'all events'),
  'event-rate-limit-namespace': rateFlag('Namespace', 'off', 'the events of each namespace'),
  'event-rate-limit-user': rateFlag('User', 'off', 'the events that each user writes'),
  'event-rate-limit-source-and-object': rateFlag(
    'SourceAndObject',
    '50/1000',
    'the events of each source about each object',
  ),
  limits: {
    value: 'on|off',
    fallback: 'on',
    help: 'off removes all limits on callers (requests in flight, waiting requests, event rates): for measurements.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
};

export function limitOptions(values: LimitFlags): LimitOptions {
  if (!values.limits) return { limits: NONE, eventRateLimits: [] };
  const { eventRateLimitServer, eventRateLimitNamespace, eventRateLimitUser, eventRateLimitSourceAndObject } = values;
  // In the order in which they are checked.
  const rates = [eventRateLimitServer, eventRateLimitNamespace, eventRateLimitUser, eventRateLimitSourceAndObject];
  return { limits: {}, eventRateLimits: rates.filter((limit) => limit !== undefined) };
}

const NONE: LimitOptions['limits'] = {
  reads: Infinity,
  writes: Infinity,
  watches: Infinity,
  watchesPerCaller: Infinity,
  queued: Infinity,
  queuedPerCaller: Infinity,
  bytes: Infinity,
  bytesPerCaller: Infinity,
};

/** Parts of a container's memory. */
const OF_BODIES = 1 / 4;
const OF_READS = 1 / 8;
/** A list of which the client reads nothing holds up to this much, most of it for gzip and for events read ahead. */
const READ_BYTES = 1_048_576;
/** The fewest reads: half of them are one caller's. */
const FEWEST_READS = 8;
/** The defaults of the library. */
const MOST = { reads: 400, bytes: 268_435_456 } as const;

/**
 * Limits with which slow clients cannot exhaust the memory of a small container. The defaults allow 256 MiB of bodies,
 * and 400 lists.
 */
export function limitsWithin(
  workers: number,
  container: number = constrainedMemory(),
): NonNullable<EventsOptions['limits']> {
  // 0 or a huge number without a limit.
  const memory = (container || Infinity) / workers;
  return {
    reads: Math.min(MOST.reads, Math.max(FEWEST_READS, Math.floor((memory * OF_READS) / READ_BYTES))),
    bytes: Math.min(MOST.bytes, Math.floor(memory * OF_BODIES)),
  };
}

function rateFlag(type: EventRateLimitType, fallback: string, of: string): FlagDefinition<EventRateLimit | undefined> {
  return {
    value: 'qps/burst',
    fallback,
    help: `Limits the rate of ${of}: QPS a second and BURST at once; further writes get 429. ${type === 'Server' ? '' : 'QPS/BURST/KEYS also sets for how many of them the rate is remembered (4096). '}"off": no such limit.`,
    read: (text) => readRate(type, text),
  };
}

function readRate(type: EventRateLimitType, text: string): EventRateLimit | undefined {
  if (text === 'off') return undefined;
  const [, qps, burst, keys] = /^(\d{1,9}(?:\.\d{1,3})?)\/(\d{1,9})(?:\/(\d{1,7}))?$/.exec(text) ?? [];
  const limit = { type, qps: Number(qps), burst: Number(burst), ...(keys && { cacheSize: Number(keys) }) };
  if (type === 'Server' && keys !== undefined) throw new Error('must be off or QPS/BURST: there is only one server');
  if (limit.qps > 0 && limit.burst > 0 && limit.cacheSize !== 0) return limit;
  throw new Error('must be off or QPS/BURST, such as 50/1000');
}
