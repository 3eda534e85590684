import type { Clock } from '../../clock/clock.js';
import type { EventStore, Revision } from '../contract/event-store.js';
import type { WatchCache } from './watch-cache.js';

/** When a feed that is behind is first asked how far it has come, and how often then, as kube-apiserver does. */
const FIRST_PROGRESS_MS = 10;
const PROGRESS_MS = 100;

/** For {@link createFreshness}. */
export interface FreshnessOptions {
  readonly store: EventStore;
  readonly cache: WatchCache;
  readonly clock: Clock;
  /** How long a read may wait. */
  readonly timeoutMs: number;
}

/** A read that waits for the cache. */
interface Waiter {
  readonly revision: Revision;
  done(isThere: boolean): void;
}

/** A question for the latest revision, and the reads that wait for its answer together. */
interface Round {
  /** Whether the cache has the revision of the answer. Fails as the question does. */
  readonly result: Promise<boolean>;
  ask(): void;
}

/**
 * Decides whether a read may be answered from the cache: it shows every write that was acknowledged before it began, and
 * never less than an earlier answer showed. Where this process owns the store, it knows that revision from its own calls.
 * Where others write as well, and after a call that may have changed something at an unknown revision, the store is asked,
 * once for all reads that wait together. A read that begins while a question is under way waits for the next one, since a
 * write may have been acknowledged after the first was answered.
 */
export function createFreshness({ store, cache, clock, timeoutMs }: FreshnessOptions) {
  const { shared } = store.capabilities;
  const closing = new AbortController();
  const waiters = new Set<Waiter>();
  /** The highest revision that this process was told of. */
  let known: Revision = 0;
  /** Calls that may have changed something at an unknown revision, and how many of them an answer has covered. */
  let uncertainCalls = 0;
  let coveredCalls = 0;
  /** A revision that a read waited for in vain: later reads do not wait until the cache has it. */
  let missed: Revision = 0;
  /** Since when the cache has been behind `known`. */
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

  const end = cache.subscribe(() => {
    const { replica } = cache;
    const reached = latest();
    if (reached >= known) behindSince = undefined;
    for (const waiter of [...waiters]) {
      if (replica === undefined) waiter.done(false);
      else if (waiter.revision <= reached) waiter.done(true);
    }
  });

  /** Whether the cache has a revision, once it has, or false at a moment of the monotonic clock. */
  const reach = (revision: Revision, until: number): Promise<boolean> => {
    if (cache.replica === undefined || closing.signal.aborted) return Promise.resolve(false);
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
      const look = (): void => {
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
        const left = until - clock.monotonic();
        timer = clock.setTimer(look, store.requestProgress === undefined ? left : Math.min(ms, left));
      };
      let timer = { cancel: (): void => undefined };
      plan(FIRST_PROGRESS_MS);
      waiters.add(waiter);
    });
  };

  const createRound = (): Round => {
    const until = clock.monotonic() + timeoutMs;
    let resolve: (result: boolean | Promise<boolean>) => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const result = new Promise<boolean>((...settle) => ([resolve, reject] = settle));
    // All callers may have left.
    result.catch(() => undefined);
    const timer = clock.setTimer(() => resolve(false), timeoutMs);
    const answered = (): void => {
      timer.cancel();
      asking = next;
      next = undefined;
      asking?.ask();
    };
    return {
      result,
      ask() {
        const covered = uncertainCalls;
        store.revision({ signal: closing.signal }).then(
          (revision) => {
            coveredCalls = Math.max(coveredCalls, covered);
            saw(revision);
            answered();
            resolve(reach(revision, until));
          },
          (error: unknown) => {
            answered();
            if (closing.signal.aborted) resolve(false);
            else reject(error);
          },
        );
      },
    };
  };

  const mustAsk = (): boolean => shared || uncertainCalls > coveredCalls;

  /** Begins a round unless a question is under way. */
  const ask = (): Promise<boolean> => {
    if (asking === undefined) {
      asking = createRound();
      asking.ask();
    }
    return asking.result;
  };

  return {
    /** This process was told of a revision. */
    saw: (revision: Revision): void => saw(revision),
    /** Something may have changed, and it is not known at which revision. */
    doubt: (): void => void (uncertainCalls += 1),
    /** Whether the cache has everything that a read which begins now must show, as far as that can be said without asking. */
    isCurrent: (): boolean => !mustAsk() && latest() >= known,
    /** Whether the cache has everything that this process was told of: enough for reads at a revision. */
    hasKnown: (): boolean => latest() >= known,
    /**
     * Whether the cache has everything that a read which begins now must show, once it has; false: it takes too long, and
     * the store has to be read. Fails as `revision()` of the store does.
     */
    wait(): Promise<boolean> {
      if (cache.replica === undefined || latest() < missed) return Promise.resolve(false);
      if (!mustAsk()) return reach(known, clock.monotonic() + timeoutMs);
      if (asking === undefined) return ask();
      next ??= createRound();
      return next.result;
    },
    /** Finds out whether the store is available and the cache up to date, with one question at a time. */
    probe: (): Promise<boolean> => ask(),
    /** For how long the cache has been behind a revision that is known to exist, in milliseconds. */
    lagMs: (): number => (behindSince === undefined ? 0 : clock.monotonic() - behindSince),
    /** Ends what waits: the store has to be asked, and says that it is closed. */
    close(): void {
      closing.abort();
      end();
      for (const waiter of [...waiters]) waiter.done(false);
    },
  };
}
