/** The longest wait for a frame, in milliseconds, however rare the server's bookmarks are. */
const MAX_MS = 300_000;
/** How much longer than the time between two bookmarks a connection may be silent. */
const TOLERANCE = 1.5;
/** The number of bookmarks whose longest interval counts. */
const REMEMBERED = 3;

export type SilenceLimit = ReturnType<typeof createSilenceLimit>;

/**
 * The limit begins with `startMs`, is never shorter, and follows the intervals between bookmarks. A server without them
 * may have nothing to send: the limit doubles with each closed connection in a row. Times are monotonic, in ms.
 */
export function createSilenceLimit(startMs: number, begun: number) {
  const longest = Math.max(MAX_MS, startMs);
  const intervals: number[] = [];
  let limit = startMs;
  let lastBookmark = begun;
  return {
    ms: (): number => limit,
    /** A frame arrived at `now`, on the monotonic clock. */
    frame(isBookmark: boolean, now: number): void {
      if (isBookmark) {
        const interval = (now - lastBookmark) * TOLERANCE;
        // Also across connections: one that was closed too early would otherwise hide the period for ever. A longer
        // interval is no period: there was nothing new in between, or no connection.
        if (interval <= MAX_MS) intervals.push(interval);
        if (intervals.length > REMEMBERED) intervals.shift();
        lastBookmark = now;
      }
      limit = Math.max(startMs, ...intervals);
    },
    exceeded(): void {
      limit = Math.min(limit * 2, longest);
    },
  };
}
