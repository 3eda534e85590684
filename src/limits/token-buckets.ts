import type { Clock } from '../clock/clock.js';

export interface TokenBucketsOptions {
  readonly qps: number;
  readonly burst: number;
  readonly maxKeys: number;
  readonly clock: Clock;
}

interface Bucket {
  tokens: number;
  /** Time of the last update, monotonic milliseconds. */
  at: number;
}

/** Creates token buckets by key. The most recently used ones are stored. */
export function createTokenBuckets({ qps, burst, maxKeys, clock }: TokenBucketsOptions) {
  /** In order of use: the first one is removed first. */
  const buckets = new Map<string, Bucket>();
  return {
    /** Removes a token and returns 0; if there is none, returns the milliseconds until there is one. */
    take(key: string): number {
      const now = clock.monotonic();
      const bucket = buckets.get(key) ?? { tokens: burst, at: now };
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * qps) / 1000);
      bucket.at = now;
      buckets.delete(key);
      buckets.set(key, bucket);
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value as string);
      if (bucket.tokens < 1) return ((1 - bucket.tokens) * 1000) / qps;
      bucket.tokens -= 1;
      return 0;
    },
  };
}
