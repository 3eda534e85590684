import type { Clock } from '../clock/clock.js';

/** Token buckets by key; the ones used last are kept. */
export interface TokenBuckets {
  /** Takes a token. 0, or where there is none the milliseconds until there will be one; nothing is taken then. */
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
  /** When that was, monotonic milliseconds. */
  at: number;
}

/** Makes {@link TokenBuckets}. The order of the map is that of use, so the first is the one to drop. */
export function createTokenBuckets({ qps, burst, most, clock }: TokenBucketsOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  const dropOldest = (): void => {
    const { value } = buckets.keys().next();
    if (value !== undefined) buckets.delete(value);
  };
  return {
    take(key) {
      const now = clock.monotonic();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { tokens: burst, at: now };
        if (buckets.size >= most) dropOldest();
      } else {
        bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * qps) / 1000);
        bucket.at = now;
        buckets.delete(key);
      }
      buckets.set(key, bucket);
      if (bucket.tokens < 1) return ((1 - bucket.tokens) * 1000) / qps;
      bucket.tokens -= 1;
      return 0;
    },
  };
}
