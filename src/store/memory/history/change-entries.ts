import type { Version } from '../bytes/version.js';

const SEGMENT = 1024;

interface Segment {
  readonly versions: (Version | undefined)[];
  readonly times: number[];
}

/**
 * Versions with their times in order of their steps: a queue with access by position. In segments, so that no large array is
 * ever copied, and 20 bytes an entry.
 */
export function createChangeEntries() {
  const segments: Segment[] = [];
  /** How many entries were dropped from the first segment. */
  let dropped = 0;
  let count = 0;

  const at = (position: number): Version => {
    const index = position + dropped;
    return segments[Math.floor(index / SEGMENT)]?.versions[index % SEGMENT] as Version;
  };

  return {
    count: (): number => count,
    at: (position: number): Version => at(position),
    append(version: Version, time: number): void {
      const last = segments.at(-1);
      if (last === undefined || last.versions.length === SEGMENT) segments.push({ versions: [version], times: [time] });
      else {
        last.versions.push(version);
        last.times.push(time);
      }
      count += 1;
    },
    oldest: (): Version | undefined => segments[0]?.versions[dropped],
    oldestTime: (): number | undefined => segments[0]?.times[dropped],
    dropOldest(): void {
      const [first] = segments;
      if (first === undefined) return;
      first.versions[dropped++] = undefined;
      count -= 1;
      if (dropped === first.versions.length) {
        segments.shift();
        dropped = 0;
      }
    },
    /** How many entries are at or before a step. */
    countUpTo(step: number): number {
      let low = 0;
      let high = count;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (at(middle).step <= step) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}
