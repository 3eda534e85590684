import type { Clock, ClockTimer } from '../../clock/clock.js';
import type { EventStore, Revision } from '../contract/event-store.js';
import type { WatchCache } from './watch-cache.js';

/** When progress is first requested from a feed that is behind, and how often after that, as in kube-apiserver. */
const FIRST_PROGRESS_MS = 10;
const PROGRESS_MS = 100;

interface Waiter {
  readonly revision: Revision;
  done(isThere: boolean): void;
}

/** A request for the latest revision, and the reads that wait for its response together. */
interface Round {
  /** Whether the cache has the revision of the response. Fails with the error of the request. */
  readonly result: Promise<boolean>;
  readonly until: number;
  ask(): void;
}

/**
 * Whether the cache serves a read: never an older state than earlier reads and writes saw (decision 75).
 *
 * @param onResponse is called when the store has responded to a request for the latest revision; it must not throw
 */
export function createFreshness(
  store: EventStore,
  cache: WatchCache,
  clock: Clock,
  timeoutMs: number,
  onResponse: () => void,
) {
  const { shared } = store.capabilities;
  const closing = new AbortController();
  const waiters = new Set<Waiter>();
  let known: Revision = 0;
  /** Calls that may have changed something at an unknown revision, and how many of them a later response covers. */
  let uncertainCalls = 0;
  let coveredCalls = 0;
  /** A revision that the cache did not reach in time for a read: until the cache has it, later reads do not wait. */
  let missed: Revision = 0;
  /** When the cache fell behind `known`, in monotonic milliseconds. */
  let behindSince: number | undefined;
  let asking: Round | undefined;
  let next: Round | undefined;
  let progressAt = -Infinity;

  const latest = (): Revision => cache.replica?.revision() ?? 0;

  const saw = (revision: Revision): void => {
    if (revision <= known) return;
    known = revision;
    if (behindSince === undefined && latest() < known) behindSince = clock.monotonic();
  };

  cache.subscribe(() => {
    const { replica } = cache;
    const reached = latest();
    if (reached >= known) behindSince = undefined;
    for (const waiter of [...waiters]) {
      if (replica === undefined) waiter.done(false);
      else if (waiter.revision <= reached) waiter.done(true);
    }
  });

  /** Resolves to true once the cache has a revision, or to false at `until` on the monotonic clock. */
  const reach = (revision: Revision, until: number): Promise<boolean> => {
    if (cache.replica === undefined) return Promise.resolve(false);
    if (latest() >= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        done(isThere) {
          waiters.delete(waiter);
          timer.cancel();
          resolve(isThere);
        },
      };
      const check = (): void => {
        const now = clock.monotonic();
        if (now >= until) {
          missed = Math.max(missed, revision);
          waiter.done(false);
          return;
        }
        if (now - progressAt >= PROGRESS_MS) {
          progressAt = now;
          store.requestProgress?.();
        }
        plan(PROGRESS_MS);
      };
      const plan = (ms: number): void => {
        timer = clock.setTimer(check, Math.min(ms, until - clock.monotonic()));
      };
      let timer!: ClockTimer;
      plan(FIRST_PROGRESS_MS);
      waiters.add(waiter);
    });
  };

  const createRound = (): Round => {
    const until = clock.monotonic() + timeoutMs;
    let resolve: (result: boolean | Promise<boolean>) => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const result = new Promise<boolean>((...settle) => ([resolve, reject] = settle));
    // Otherwise a rejection is unhandled when all callers have left.
    result.catch(() => undefined);
    const timer = clock.setTimer(() => resolve(false), timeoutMs);
    const answered = (): void => {
      timer.cancel();
      asking = next;
      next = undefined;
      asking?.ask();
    };
    let ask!: () => void;
    let covered = 0;
    // In the AsyncLocalStorage context of the first read of this round, not of the round before it.
    void new Promise<void>((begin) => (ask = begin))
      .then(() => {
        covered = uncertainCalls;
        return store.revision({ signal: closing.signal });
      })
      .then(
        (revision) => {
          coveredCalls = Math.max(coveredCalls, covered);
          saw(revision);
          onResponse();
          answered();
          resolve(reach(revision, until));
        },
        (error: unknown) => {
          answered();
          if (closing.signal.aborted) resolve(false);
          else reject(error);
        },
      );
    return { result, until, ask };
  };

  const mustAsk = (): boolean => shared || uncertainCalls > coveredCalls;

  const ask = (): Promise<boolean> => {
    if (asking === undefined) {
      asking = createRound();
      asking.ask();
    }
    return asking.result;
  };

  return {
    saw: (revision: Revision): void => saw(revision),
    /** Records that something may have changed at an unknown revision. */
    markUnknown: (): void => void (uncertainCalls += 1),
    /** Whether the cache is known, without a request to the store, to have what a read that begins now must show. */
    isCurrent: (): boolean => !mustAsk() && latest() >= known,
    /** Whether the cache has every revision that this process has seen, which is enough for reads at a revision. */
    hasKnown: (): boolean => latest() >= known,
    /** True once the cache has what a read that begins now must show; false if the store has to be read instead. */
    wait(): Promise<boolean> {
      if (cache.replica === undefined || latest() < missed) return Promise.resolve(false);
      if (!mustAsk()) return reach(known, clock.monotonic() + timeoutMs);
      if (asking === undefined) return ask();
      // One read calls this several times: a list first for JSON, then for records.
      if (clock.monotonic() >= asking.until) return Promise.resolve(false);
      next ??= createRound();
      return next.result;
    },
    /** Requests the latest revision, unless that is in progress, so that `onResponse` is called when the store is back. */
    probe: (): void => void ask().catch(() => undefined),
    /** How long the cache has been behind a revision that is known to exist, in milliseconds. */
    lagMs: (): number => (behindSince === undefined ? 0 : clock.monotonic() - behindSince),
    /** Ends the request for the latest revision. */
    close: (): void => closing.abort(),
  };
}
