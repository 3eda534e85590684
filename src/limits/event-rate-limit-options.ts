import type { OptionRule, OptionRules } from '../options/check-options.js';
import { aListOf, anObject, aPositiveNumber, aWholeNumber, oneOf, required } from '../options/rules.js';

/** What a limit counts by, as the types of kube-apiserver's EventRateLimit admission. */
export type EventRateLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** One limit on how many events are written, as the configuration of kube-apiserver's EventRateLimit admission has it. */
export interface EventRateLimit {
  /**
   * Whose writes share a token bucket: all (`Server`), those to a namespace, those of a user, or those with the same source
   * (component and host) about the same object. Events of the newer form name no source, so theirs share that of the object.
   */
  readonly type: EventRateLimitType;
  /** Tokens per second: the sustained rate of writes. Above 0. */
  readonly qps: number;
  /** The size of a bucket: how many writes may come in a burst. A positive integer. */
  readonly burst: number;
  /** How many buckets are kept, most recently used first. A dropped bucket starts full again. Default 4,096. `Server` has one. */
  readonly cacheSize?: number | undefined;
}

const rules = (): OptionRules<EventRateLimit> => ({
  type: required(oneOf('Server', 'Namespace', 'User', 'SourceAndObject')),
  qps: required(aPositiveNumber),
  burst: required(aWholeNumber(1)),
  cacheSize: aWholeNumber(1),
});

/** The rule of the option with these limits. */
export const eventRateLimits = (): OptionRule => aListOf(anObject(rules()));
