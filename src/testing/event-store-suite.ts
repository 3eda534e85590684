import type { EventStore } from '../store/contract/event-store.js';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aFunction, aPositiveNumber, required } from '../options/rules.js';
import { fail, inTime } from './assert.js';
import { fakeClock } from './fake-clock.js';
import { feedCases } from './feed-cases.js';
import { listCases } from './list-cases.js';
import { processCases } from './process-cases.js';
import { restoreCases } from './restore-cases.js';
import { retentionCases } from './retention-cases.js';
import { searchCases } from './search-cases.js';
import { traitCases } from './trait-cases.js';
import { createFixture, type StoreContext } from './fixture.js';
import { writeCases } from './write-cases.js';

/** For {@link eventStoreSuite}. */
export interface EventStoreSuiteOptions {
  /** Registers a test: `test` or `it` of any runner, or a function of your own. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes a store without data. Called once for every test; the suite closes it. */
  readonly createStore: (context: StoreContext) => EventStore | Promise<EventStore>;
  /** Opens the data of `createStore(context)` again, after that store was closed. Needed by stores that declare `durable`. */
  readonly reopen?: ((context: StoreContext) => EventStore | Promise<EventStore>) | undefined;
  /** Opens a second store on the data of `createStore(context)`. Needed by stores that declare `shared`. */
  readonly secondInstance?: ((context: StoreContext) => EventStore | Promise<EventStore>) | undefined;
  /**
   * Copies the data of `createStore(context)` and returns a function that restores it while stores are open on it, as an
   * operator's restore or a fail-over to a lagging replica does. Absent: that cannot happen to the store, and is not tested.
   */
  readonly backup?: ((context: StoreContext) => Promise<() => Promise<void>>) | undefined;
  /** How long a change may take to reach a feed, in milliseconds, before the test fails. Default: 5,000. */
  readonly waitMs?: number | undefined;
}

const HISTORY_MS = 600_000;

const rules = (): OptionRules<EventStoreSuiteOptions> => ({
  test: required(aFunction),
  createStore: required(aFunction),
  reopen: aFunction,
  secondInstance: aFunction,
  backup: aFunction,
  waitMs: aPositiveNumber,
});

/**
 * Registers the tests that every store has to pass. Only a store's declared capabilities excuse it from a test, which then
 * ends early; there is no way to skip one.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { eventStoreSuite } from 'kube-vitals/testing';
 *
 * eventStoreSuite({ test, createStore: ({ clock, historyMs }) => myStore({ clock, historyMs }) });
 * ```
 *
 * @throws TypeError that lists every fault of the options
 */
export function eventStoreSuite(options: EventStoreSuiteOptions): void {
  checkOptions('eventStoreSuite', options, rules());
  const open = async (
    make: EventStoreSuiteOptions['reopen'],
    context: StoreContext,
    missing: string,
  ): Promise<EventStore> => (make === undefined ? fail(missing) : make(context));

  const cases = [
    writeCases,
    listCases,
    searchCases,
    feedCases,
    retentionCases,
    traitCases,
    processCases,
    restoreCases,
  ].flat();
  for (const [index, { name, run }] of cases.entries()) {
    options.test(name, async () => {
      const context: StoreContext = { id: `suite-${index}`, clock: fakeClock(), historyMs: HISTORY_MS };
      const store = await options.createStore(context);
      const { backup } = options;
      const fixture = createFixture(store, context, {
        backup: backup && (() => backup(context)),
        waitMs: options.waitMs ?? 5000,
        reopen: () => open(options.reopen, context, 'the store declares durable: give the suite `reopen`'),
        second: () =>
          open(options.secondInstance, context, 'the store declares shared: give the suite `secondInstance`'),
      });
      try {
        await run(fixture);
      } finally {
        await inTime(fixture.cleanUp(), 'cleaning up');
      }
    });
  }
}
