import type { Clock } from '../clock/clock.js';
import { shorten } from '../json/go-print.js';
import type { Event } from '../model/event.js';
import type { EventRateLimit, EventRateLimitType } from './event-rate-limit-options.js';
import { createTokenBuckets, type TokenBuckets } from './token-buckets.js';

/** The attributes of a write that limits use. */
export interface EventWrite {
  readonly namespace: string;
  /** The caller's name. */
  readonly user: string;
  readonly event: Event;
}

/** Why a write is refused. */
export interface EventRateRefusal {
  /** `limit reached on type Namespace for key default`, or several of them in brackets. */
  readonly text: string;
  /** Seconds until all of these buckets have a token again, unless other writes take it. At least 1. */
  readonly retryAfterSeconds: number;
}

/** Limits on how many events are written. */
export interface EventRateLimits {
  /** Takes a token from every limit, even if another one has none left; the refusal names those without a token. */
  debit(write: EventWrite): EventRateRefusal | undefined;
}

const DEFAULT_CACHE_SIZE = 4_096;

const KEYS: Readonly<Record<EventRateLimitType, (write: EventWrite) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user,
  SourceAndObject: ({ event: { deprecatedSource: source, regarding: object } }) =>
    `${source?.component ?? ''}${source?.host ?? ''}${object?.kind ?? ''}${object?.namespace ?? ''}` +
    `${object?.name ?? ''}${object?.uid ?? ''}${object?.apiVersion ?? ''}`,
};

/** Longer keys are truncated, because their parts are unbounded and thousands of them are kept. */
const LONGEST_KEY = 1_024;

interface Enforcer {
  readonly type: EventRateLimitType;
  readonly buckets: TokenBuckets;
}

/** Makes the buckets of one server, with the semantics of kube-apiserver's EventRateLimit admission. */
export function createEventRateLimits(limits: readonly EventRateLimit[], clock: Clock): EventRateLimits {
  const enforcers: readonly Enforcer[] = limits.map(({ type, qps, burst, cacheSize = DEFAULT_CACHE_SIZE }) => ({
    type,
    buckets: createTokenBuckets({ qps, burst, most: type === 'Server' ? 1 : cacheSize, clock }),
  }));
  return {
    debit(write) {
      let refusals: string[] | undefined;
      let waitMs = 0;
      for (const { type, buckets } of enforcers) {
        const key = shorten(KEYS[type](write), LONGEST_KEY);
        const missing = buckets.take(key);
        if (missing === 0) continue;
        (refusals ??= []).push(`limit reached on type ${type} for key ${key}`);
        waitMs = Math.max(waitMs, missing);
      }
      if (refusals === undefined) return undefined;
      // Go's aggregate error contains each text once.
      const texts = [...new Set(refusals)];
      return {
        text: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`,
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      };
    },
  };
}
