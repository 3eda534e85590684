import { untilAborted } from '../../clock/abortable.js';
import { closed } from '../contract/conditions.js';
import { isStoreError, type StoreError } from '../contract/errors.js';
import type { StoreCall } from '../contract/event-store.js';
import type { Opening } from './opening.js';
import type { Awaitable, StoreEngine } from './store-engine.js';

interface StoreCalls {
  closedError(): StoreError;
  /** Returns the engine for a call. @throws StoreError `closed`, or the reason of the call's signal */
  begin(call: StoreCall | undefined): StoreEngine;
  /** Runs a call that was begun and checked. A result that is not a promise needs no promise and no signal. */
  run<T>(call: StoreCall | undefined, work: () => Awaitable<T>): Awaitable<T>;
  /** Returns the engine; `undefined` after `end()`. */
  opened(): StoreEngine | undefined;
  /** Makes every later call fail with `closed`. */
  end(): void;
  /** Resolves when no call is in progress, including calls that no caller waits for any more. */
  idle(): Promise<void>;
}

/** Not only a promise of this realm: query builders and the promises of other libraries have their own `then`. */
const isThenable = <T>(value: Awaitable<T>): value is Promise<T> =>
  value instanceof Promise || typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';

/** Calls wait until the engine is open, end with their signal, and are counted: it is closed after the last one. */
export function createStoreCalls(engine: StoreEngine, opening: Opening | undefined): StoreCalls {
  const { name } = engine;
  /** `undefined` after `end()`, so that the engine's memory is freed even while the store is referenced. */
  let opened: StoreEngine | undefined = engine;
  let underWay = 0;
  let whenIdle: (() => void) | undefined;

  const closedError = (): StoreError => closed(name);

  const begin = (call: StoreCall | undefined): StoreEngine => {
    if (opened === undefined) throw closedError();
    // Where `aborted` is given, reading `signal` may create it.
    if (call !== undefined && call.aborted !== false) call.signal?.throwIfAborted();
    return opened;
  };

  const isOver = (): void => {
    underWay -= 1;
    if (underWay === 0) whenIdle?.();
  };
  const passed = <T>(value: T): T => {
    isOver();
    return value;
  };
  const thrown = (error: unknown): never => {
    isOver();
    throw error;
  };
  /** One promise and no closures, because every write is counted. */
  const counted = <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    return Promise.resolve(work).then(passed<T>, thrown);
  };

  const waited = async <T>(call: StoreCall | undefined, work: () => Awaitable<T>): Promise<T> => {
    try {
      if (opening?.isOpen === false) {
        await untilAborted(opening.ready(), call?.signal);
        begin(call);
      }
      const result = work();
      return isThenable(result) ? await untilAborted(counted(result), call?.signal) : result;
    } catch (error) {
      // The engine's own error for an aborted call is not passed on.
      throw !isStoreError(error) && call?.signal?.aborted === true ? call.signal.reason : error;
    }
  };

  return {
    closedError,
    begin,
    run(call, work) {
      if (opening?.isOpen === false) return waited(call, work);
      const result = work();
      if (!isThenable(result)) return result;
      return call?.signal === undefined ? counted(result) : waited(call, () => result);
    },
    opened: () => opened,
    end: () => void (opened = undefined),
    async idle() {
      if (underWay > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    },
  };
}
