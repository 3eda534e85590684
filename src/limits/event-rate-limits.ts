import { ownText } from '../cache/own-text.js';
import type { Clock } from '../clock/clock.js';
import { shorten } from '../json/go-print.js';
import type { Event } from '../model/event.js';
import type { OptionRule, OptionRules } from '../options/check-options.js';
import { aListOf, anObject, aPositiveNumber, aWholeNumber, oneOf, required } from '../options/rules.js';
import { createTokenBuckets } from './token-buckets.js';

/** The criterion by which a limit counts: the types of kube-apiserver's EventRateLimit admission. */
export type EventRateLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** One limit on how many events are written, as in the configuration of kube-apiserver's EventRateLimit admission. */
export interface EventRateLimit {
  /**
   * Whose writes share a token bucket: all (`Server`), those to a namespace, those of a user, or those with the same
   * source (component and host) about the same object. Events of the newer form have no source, so those about the same
   * object share a bucket.
   */
  readonly type: EventRateLimitType;
  /** Tokens per second: the sustained rate of writes. Above 0. */
  readonly qps: number;
  /** The size of a bucket: how many writes may come in a burst. A positive integer. */
  readonly burst: number;
  /**
   * How many buckets are stored; the least recently used one is removed first. A removed bucket starts full again.
   * Default: 4,096. `Server` has one.
   */
  readonly cacheSize?: number | undefined;
}

const rules = (): OptionRules<EventRateLimit> => ({
  type: required(oneOf('Server', 'Namespace', 'User', 'SourceAndObject')),
  qps: required(aPositiveNumber),
  burst: required(aWholeNumber(1)),
  cacheSize: aWholeNumber(1),
});

export const eventRateLimits = (): OptionRule => aListOf(anObject(rules()));

export interface EventWrite {
  readonly namespace: string;
  readonly user: string;
  readonly event: Event;
}

export interface EventRateRefusal {
  /** `limit reached on type Namespace for key default`, or several of them in brackets. */
  readonly text: string;
  /** Seconds until all of these buckets have a token again, unless other writes use it. At least 1. */
  readonly retryAfterSeconds: number;
}

export type EventRateLimits = ReturnType<typeof createEventRateLimits>;

const DEFAULT_CACHE_SIZE = 4_096;

const KEYS: Readonly<Record<EventRateLimitType, (write: EventWrite) => string>> = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user,
  SourceAndObject: ({ event: { deprecatedSource: source, regarding: object } }) =>
    [
      ...[source?.component, source?.host],
      ...[object?.kind, object?.namespace, object?.name, object?.uid, object?.apiVersion],
    ].join(''),
};

/** Longer keys are truncated, because their parts have no length limit and thousands of keys are stored. */
const MAX_KEY_LENGTH = 1_024;

/** Creates limits on how many events are written, with the semantics of kube-apiserver's EventRateLimit admission. */
export function createEventRateLimits(limits: readonly EventRateLimit[], clock: Clock) {
  const enforcers = limits.map(({ type, qps, burst, cacheSize = DEFAULT_CACHE_SIZE }) => ({
    type,
    buckets: createTokenBuckets({ qps, burst, maxKeys: cacheSize, clock }),
  }));
  return {
    /** Takes a token from every limit, even if another one has none left; the refusal names those without a token. */
    debit(write: EventWrite): EventRateRefusal | undefined {
      let refusals: string[] | undefined;
      let waitMs = 0;
      for (const { type, buckets } of enforcers) {
        const key = ownText(shorten(KEYS[type](write), MAX_KEY_LENGTH));
        const missing = buckets.take(key);
        if (missing === 0) continue;
        (refusals ??= []).push(`limit reached on type ${type} for key ${key}`);
        waitMs = Math.max(waitMs, missing);
      }
      if (refusals === undefined) return undefined;
      // Go's aggregate error contains each text once.
      const texts = [...new Set(refusals)];
      return {
        text: texts.length > 1 ? `[${texts.join(', ')}]` : texts.join(),
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      };
    },
  };
}
