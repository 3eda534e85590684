/** Collects durations without an object for each. */
export interface Latencies {
  add(ms: number): void;
  readonly count: number;
  /** 0 when there are none. */
  percentile(share: number): number;
}

export function createLatencies(): Latencies {
  let values = new Float64Array(65_536);
  let count = 0;
  let sorted = false;
  return {
    add(ms) {
      if (count === values.length) {
        const larger = new Float64Array(count * 2);
        larger.set(values);
        values = larger;
      }
      values[count++] = ms;
      sorted = false;
    },
    get count() {
      return count;
    },
    percentile(share) {
      if (!sorted) values.subarray(0, count).sort();
      sorted = true;
      return count === 0 ? 0 : (values[Math.min(count - 1, Math.floor(count * share))] ?? 0);
    },
  };
}
