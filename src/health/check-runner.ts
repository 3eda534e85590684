import type { Clock, ClockTimer } from '../clock/clock.js';
import type { Semaphore } from '../clock/semaphore.js';
import { isPromise } from '../http/promise.js';
import type { CheckStatus } from './contract.js';
import type { CheckDefinition } from './definition.js';
import { failure, toOutcome, thrown, type Outcome } from './outcome.js';
import { RunContext } from './run-context.js';

/** The verdict of a check, with the reason unless it is ok. `error`: what the check threw, for `observe` only. */
export interface Verdict {
  readonly status: CheckStatus;
  readonly reason?: string;
  readonly error?: unknown;
}

/** Reports a new status of a check; a first `ok` is ignored. `previous` is `undefined` for the first verdict. */
export type Announce = (check: string, verdict: Verdict, previous: Verdict['status'] | undefined) => void;

/** One check with its state: verdict, run in progress, thresholds, timers. */
export interface CheckRunner {
  readonly definition: Pick<CheckDefinition, 'name' | 'endpoints' | 'group' | 'startup'>;
  /** Monotonic time of registration, for the grace period. */
  readonly addedAt: number;
  /** Returns the verdict for a probe, synchronously if possible. Never rejects, never takes longer than the timeout. */
  ask(): Verdict | Promise<Verdict>;
  /** Milliseconds the last run took, and wall clock microseconds of the last change of status. */
  facts(): { readonly durationMs: number | undefined; readonly since: number | undefined };
  /** Ends background runs and reports no more changes. A waiting probe still gets its verdict. */
  retire(): void;
  /** Like `retire`, and aborts the current run; from now on the check fails. */
  close(): void;
}

export const OK: Verdict = /* @__PURE__ */ Object.freeze({ status: 'ok' });
const CLOSED_REASON = 'the health object has been closed';
const CLOSED: Verdict = Object.freeze({ status: 'failed', reason: CLOSED_REASON });
const REENTERED: Verdict = Object.freeze({ status: 'failed', reason: 'the check requested its own result' });

/**
 * Runs one check. Concurrent probes share a run; one that exceeded its timeout fails every probe until it ends. The
 * timeout includes the wait for the semaphore, at most half of it, so that a hanging check fails no others.
 */
export function createCheckRunner(
  definition: CheckDefinition,
  clock: Clock,
  semaphore: Semaphore,
  announce: Announce,
): CheckRunner {
  const { name, timeoutMs, periodMs, cacheMs, critical, failureThreshold, successThreshold } = definition;
  const addedAt = clock.monotonic();
  const down = (reason: string, counts = critical, error?: unknown): Verdict => {
    const status = counts ? 'failed' : 'degraded';
    return error === undefined ? { status, reason } : { status, reason, error };
  };

  let verdict: Verdict | undefined;
  let passes = 0;
  let failures = 0;
  let lastReason = '';
  let lastCritical: boolean | undefined;
  let durationMs: number | undefined;
  let since: number | undefined;
  let freshUntil = -Infinity;

  let executing = false;
  let running: Verdict | Promise<Verdict> | undefined;
  let endRun: ((outcome: Outcome) => void) | undefined;
  let timedOutRunStart: number | undefined;
  let nextRun: ClockTimer | undefined;
  let retired = false;
  let closed = false;

  function conclude(outcome: Outcome): Verdict {
    running = undefined;
    endRun = undefined;
    const up = verdict?.status === 'ok';
    let next: Verdict;
    if (outcome.ok) {
      passes += 1;
      failures = 0;
      next =
        up || passes >= successThreshold
          ? OK
          : down(`${lastReason}passed ${passes} of ${successThreshold} times`, lastCritical);
    } else {
      failures += 1;
      passes = 0;
      lastReason = `${outcome.reason}; since then `;
      lastCritical = outcome.critical;
      next = up && failures < failureThreshold ? OK : down(outcome.reason, lastCritical, outcome.error);
    }
    const previous = verdict?.status;
    verdict = next;
    if (cacheMs > 0) freshUntil = clock.monotonic() + cacheMs;
    if (previous !== next.status) {
      since = clock.now();
      // A listener that reads the verdict gets this one, not another run.
      running = next;
      if (!retired) announce(name, next, previous);
      running = undefined;
    }
    return next;
  }

  function concludeRun(release: () => void, startedAt: number, outcome: Outcome): Verdict {
    release();
    durationMs = clock.monotonic() - startedAt;
    return conclude(outcome);
  }

  /** Calls the check function. `release` releases the permit, if the run holds one. */
  function begin(release: () => void, limitMs: number): Verdict | Promise<Verdict> {
    const startedAt = clock.monotonic();
    const context = new RunContext();
    let outcome: Outcome;
    executing = true;
    try {
      const result: unknown = definition.check(context);
      if (isPromise(result)) {
        running = waitFor(Promise.resolve(result), context, startedAt, limitMs, release);
        return running;
      }
      outcome = toOutcome(result);
    } catch (error) {
      outcome = thrown(error);
    } finally {
      executing = false;
    }
    return concludeRun(release, startedAt, outcome);
  }

  function waitFor(
    pending: Promise<unknown>,
    context: RunContext,
    startedAt: number,
    limitMs: number,
    release: () => void,
  ): Promise<Verdict> {
    return new Promise((resolve) => {
      let ended = false;
      const end = (outcome: Outcome): void => {
        if (ended) return;
        ended = true;
        timer.cancel();
        resolve(concludeRun(release, startedAt, outcome));
      };
      const timer = clock.setTimer(() => {
        timedOutRunStart = startedAt;
        end(failure(`timed out after ${timeoutMs} ms`));
        context.abort('timeout');
      }, limitMs);
      endRun = (outcome) => {
        end(outcome);
        context.abort('closed');
      };
      const finish = (outcome: Outcome): void => {
        timedOutRunStart = undefined;
        end(outcome);
      };
      pending.then(
        (result) => finish(toOutcome(result)),
        (error: unknown) => finish(thrown(error)),
      );
      // The check itself may have called `close`.
      if (closed) endRun(failure(CLOSED_REASON));
    });
  }

  function run(): Verdict | Promise<Verdict> {
    if (timedOutRunStart !== undefined) {
      const forMs = Math.round(clock.monotonic() - timedOutRunStart);
      return conclude(failure(`timed out: the run that began ${forMs} ms ago has still not ended`));
    }
    if (semaphore.tryAcquire()) return begin(semaphore.release, timeoutMs);
    const askedAt = clock.monotonic();
    // The check is called in the AsyncLocalStorage context of the probe, not of the run that released the permit.
    running = new Promise<() => Verdict | Promise<Verdict>>((resolve) => {
      const start = (release: () => void): void => {
        leave();
        timer.cancel();
        const spentMs = clock.monotonic() - askedAt;
        resolve(() => begin(release, Math.max(timeoutMs - spentMs, 0)));
      };
      const leave = semaphore.wait(() => start(semaphore.release));
      const timer = clock.setTimer(() => start(() => undefined), timeoutMs / 2);
      endRun = (outcome) => {
        leave();
        timer.cancel();
        resolve(() => conclude(outcome));
      };
    }).then((conclusion) => conclusion());
    return running;
  }

  function runInBackground(delayMs: number): void {
    if (retired) return;
    const result = run();
    const again = (): void => {
      if (!retired) nextRun = clock.setTimer(() => runInBackground(delayMs), delayMs);
    };
    if (isPromise(result)) void result.then(again);
    else again();
  }

  function retire(): void {
    retired = true;
    nextRun?.cancel();
  }

  // In a microtask, because objects that the check uses may be created after the call that adds it.
  if (periodMs !== undefined) queueMicrotask(() => runInBackground(periodMs));

  return {
    definition,
    addedAt,
    ask() {
      if (closed) return CLOSED;
      if (periodMs !== undefined) return verdict ?? down('has not run yet');
      if (executing) return REENTERED;
      if (running !== undefined) return running;
      if (cacheMs > 0 && verdict !== undefined && clock.monotonic() < freshUntil) return verdict;
      return run();
    },
    facts: () => ({ durationMs, since }),
    retire,
    close() {
      retire();
      closed = true;
      endRun?.(failure(CLOSED_REASON));
    },
  };
}
