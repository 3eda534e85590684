import type { Clock } from '../clock/clock.js';

/** Token buckets by key; the most recently used ones are kept. */
export interface TokenBuckets {
  /** Takes a token and returns 0; if there is none, returns the milliseconds until there is one. */
  take(key: string): number;
}

/** What {@link createTokenBuckets} needs. */
export interface TokenBucketsOptions {
  /** Tokens a second. */
  readonly qps: number;
  /** The most tokens in a bucket; how many a new one has. */
  readonly burst: number;
  /** The most buckets. */
  readonly most: number;
  readonly clock: Clock;
}

interface Bucket {
  tokens: number;
  /** Time of the last update, monotonic milliseconds. */
  at: number;
}

/** Makes {@link TokenBuckets}. The map is in the order of use, so the first bucket is dropped first. */
export function createTokenBuckets({ qps, burst, most, clock }: TokenBucketsOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  return {
    take(key) {
      const now = clock.monotonic();
      const bucket = buckets.get(key) ?? { tokens: burst, at: now };
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * qps) / 1000);
      bucket.at = now;
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > most) buckets.delete(buckets.keys().next().value as string);
      if (bucket.tokens < 1) return ((1 - bucket.tokens) * 1000) / qps;
      bucket.tokens -= 1;
      return 0;
    },
  };
}
