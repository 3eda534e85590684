import { createBackoff } from '../clock/backoff.js';
import { systemClock, type Clock } from '../clock/clock.js';
import { keepProcessAlive } from '../clock/keep-process-alive.js';
import { optionFaults, throwFaults, type OptionRules } from '../options/check-options.js';
import { aClock, aFunction, aNumber, required } from '../options/rules.js';
import type { Change, EventKey, EventStore, RemoveOptions, Revision, StoreCall } from './contract/event-store.js';
import { hasCode, isStoreError, type StoreErrorCode } from './contract/errors.js';
import { keyText, sameBytes } from './contract/keys.js';
import type { EncodedEvent, EventRecord } from './contract/record.js';
import { anEventStore } from './contract/store-rule.js';

const MAX_PAUSE_MS = 1_000;

/** Options of {@link resolveUnknownOutcomes}. */
export interface UnknownOutcomeOptions {
  /** The source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * How long to try to determine the outcome of a write, in milliseconds from the beginning of the write. Default:
   * 8,000.
   */
  readonly withinMs?: number | undefined;
  /**
   * Called when a create begins. Before each repetition of that create, the function it returned is called: it returns
   * what the create has written, even if that was changed or deleted since; `undefined` if nothing was written. When it
   * rejects with `unavailable`, it is called again; after another error the outcome stays unknown. It is also called
   * after a repetition that failed with `exists` because of another event, or of none. Without it, a create whose event
   * was deleted by another client before the repetition takes effect twice.
   */
  readonly findCreated?:
    | ((key: EventKey, event: EncodedEvent) => (signal: AbortSignal | undefined) => Promise<EventRecord | undefined>)
    | undefined;
}

const rules = (): OptionRules<UnknownOutcomeOptions> => ({
  clock: aClock,
  withinMs: aNumber(0),
  findCreated: aFunction,
});

type FindCreated = ReturnType<NonNullable<UnknownOutcomeOptions['findCreated']>>;

/**
 * Determines the outcome of the first write from the error of a repeated one: what it wrote, or that error if it wrote
 * nothing and never will; `undefined`: it cannot be determined.
 */
type Judge = (error: unknown, signal: AbortSignal) => Promise<unknown>;

/**
 * Returns the same store, with unknown outcomes resolved where that is possible: the conditional write is repeated, with
 * growing pauses while the engine is away, and when its condition no longer holds, the current bytes or
 * the feed show whether the first attempt was the cause. A replace or a removal fails with its condition where the feed
 * shows that it cannot have taken effect. Otherwise the error stays `unknown-outcome`, as after a removal without
 * `expected`. If another client removes the same version, or replaces it by the same bytes, both succeed: the feed does
 * not say which client wrote a version. For engines behind a network; others never fail that way.
 *
 * A create must not take effect twice, because an event that was deleted in between would reappear. What took effect
 * before the repetition is found by {@link UnknownOutcomeOptions.findCreated}; that an abandoned create does not take
 * effect after that is up to the engine: PostgreSQL creates nothing that the same create has created before, and refuses
 * writes after their deadline. The etcd store resolves creates itself.
 *
 * @throws TypeError that lists every fault of the arguments.
 */
export function resolveUnknownOutcomes(store: EventStore, options: UnknownOutcomeOptions = {}): EventStore {
  throwFaults('resolveUnknownOutcomes', [
    ...required(anEventStore)(store, 'the store'),
    ...optionFaults(options, rules()),
  ]);
  const { clock = systemClock, withinMs = 8_000 } = options;
  const closing = new AbortController();

  const written =
    (key: EventKey, event: EncodedEvent, code: StoreErrorCode, find?: FindCreated): Judge =>
    async (error, signal) => {
      if (!hasCode(error, code)) return undefined;
      const record = await store.get(key, { signal });
      return record !== undefined && sameBytes(record.event.bytes, event.bytes) ? record : find?.(signal);
    };

  /**
   * Returns what the change after the state at `expected` has written, if it is the call's own. Only the feed shows this. If
   * another change followed that state, or none did, the condition does not hold and never will.
   */
  const followed =
    (key: EventKey, { expected }: RemoveOptions, isOwn: (change: Change) => boolean): Judge =>
    async (error, signal) => {
      if (expected === undefined || !hasCode(error, 'not-found', 'conflict')) return undefined;
      const latest = await store.revision({ signal });
      if (latest <= expected) return undefined;
      const follow = async (after: Revision): Promise<unknown> => {
        for await (const changes of store.changes({ after, signal })) {
          const next = changes.find((change) => keyText(change.key) === keyText(key));
          if (next === undefined && (changes.at(-1)?.revision ?? latest) < latest) continue;
          // What came before the history that is left is not known.
          if (after > expected && next?.previous?.revision !== expected) return undefined;
          return next !== undefined && isOwn(next) ? next.record : error;
        }
        return undefined;
      };
      return follow(expected).catch((failure: unknown) => {
        // The history begins after that state, which may still have been current then.
        const floor = isStoreError(failure) && failure.code === 'expired' ? failure.current : undefined;
        if (floor === undefined || floor <= expected) throw failure;
        return follow(floor);
      });
    };

  /** Repeats a write until its outcome is known; `undefined`: it is not, and the time is over or the store was closed. */
  const repeated = async (
    write: () => Promise<EventRecord>,
    judge: Judge,
    signal: AbortSignal,
  ): Promise<EventRecord | undefined> => {
    // Attempts end by themselves when the store is closed.
    const ended = AbortSignal.any([signal, closing.signal]);
    const pauses = createBackoff(clock, MAX_PAUSE_MS);
    // The first repetition begins at once. An engine that is away refuses at once, too, and may be back in seconds.
    while (!ended.aborted) {
      try {
        return await write();
      } catch (error) {
        if (!hasCode(error, 'unknown-outcome', 'unavailable')) {
          const failed = (failure: unknown): 'away' | undefined =>
            hasCode(failure, 'unavailable') ? 'away' : undefined;
          const outcome = signal.aborted ? undefined : await judge(error, signal).catch(failed);
          if (outcome === error) throw error;
          if (outcome !== 'away') return outcome as EventRecord | undefined;
        }
      }
      await pauses.pause(ended);
    }
    return undefined;
  };

  /** Repeats a write of unknown outcome. It is conditional: it succeeds, or `judge` finds why it cannot. */
  const resolve = async <Call extends StoreCall>(
    call: Call,
    write: (own: Call) => Promise<EventRecord>,
    judge: Judge,
    find?: FindCreated,
  ): Promise<EventRecord> => {
    const begun = clock.monotonic();
    try {
      return await write({ ...call });
    } catch (unknown) {
      const leftMs = withinMs - (clock.monotonic() - begun);
      if (leftMs <= 0 || !hasCode(unknown, 'unknown-outcome')) throw unknown;
      // Every attempt may take the engine's whole deadline: together they must not take longer than clients wait.
      const late = new AbortController();
      const timer = clock.setTimer(() => late.abort(), leftMs);
      const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal]);
      const again = async (): Promise<EventRecord> => (await find?.(signal)) ?? write({ ...call, signal });
      const record = await repeated(again, judge, signal)
        .finally(keepProcessAlive())
        .finally(() => timer.cancel());
      if (record === undefined) throw unknown;
      return record;
    }
  };

  return Object.freeze<EventStore>({
    name: store.name,
    capabilities: store.capabilities,
    get: (key, call) => store.get(key, call),
    list: (query) => store.list(query),
    create(key, event, call) {
      const find = options.findCreated?.(key, event);
      return resolve(call, (own) => store.create(key, event, own), written(key, event, 'exists', find), find);
    },
    replace(key, event, call) {
      const current = written(key, event, 'conflict');
      const isOwn = ({ type, record }: Change): boolean => type === 'put' && sameBytes(record.event.bytes, event.bytes);
      const next = followed(key, call, isOwn);
      // What is current shows most outcomes, and is faster to read than the feed.
      const judge: Judge = async (error, signal) => (await current(error, signal)) ?? next(error, signal);
      return resolve(call, (own) => store.replace(key, event, own), judge);
    },
    remove: (key, call = {}) =>
      // Without a condition a repetition could remove an event that was created since.
      call.expected === undefined
        ? store.remove(key, call)
        : resolve(
            call,
            (own) => store.remove(key, own),
            followed(key, call, ({ type }) => type === 'delete'),
          ),
    expire: (call) => store.expire(call),
    changes: (call) => store.changes(call),
    revision: (call) => store.revision(call),
    ping: (call) => store.ping(call),
    ...(store.now && { now: store.now.bind(store) }),
    ...(store.requestProgress && { requestProgress: store.requestProgress.bind(store) }),
    close() {
      closing.abort();
      return store.close();
    },
  });
}
