import { checkOptions, type OptionRules } from '../options/check-options.js';
import { aFunction, aPositiveNumber, required } from '../options/rules.js';
import { inTime } from './assert.js';
import { fakeClock } from './fake-clock.js';
import { feedCases } from './feed-cases.js';
import { listCases } from './list-cases.js';
import { processCases } from './process-cases.js';
import { restoreCases } from './restore-cases.js';
import { retentionCases } from './retention-cases.js';
import { searchCases } from './search-cases.js';
import { traitCases } from './trait-cases.js';
import { createFixture, type DefineCase, type EventStoreSuiteOptions } from './fixture.js';
import { writeCases } from './write-cases.js';

const HISTORY_MS = 600_000;

const CASES = [writeCases, listCases, searchCases, feedCases, retentionCases, traitCases, processCases, restoreCases];

const rules = (): OptionRules<EventStoreSuiteOptions> => ({
  test: required(aFunction),
  createStore: required(aFunction),
  reopen: aFunction,
  secondInstance: aFunction,
  backup: aFunction,
  waitMs: aPositiveNumber,
});

/**
 * Registers the tests that every store has to pass. Only a store's declared capabilities excuse it from a test, which
 * then ends early; there is no way to skip one.
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
  let count = 0;
  const define: DefineCase = (name, run) => {
    const id = `suite-${count++}`;
    options.test(name, async () => {
      const context = { id, clock: fakeClock(), historyMs: HISTORY_MS };
      const fixture = createFixture(options, context, await options.createStore(context));
      try {
        await run(fixture);
      } finally {
        await inTime(fixture.cleanUp(), 'cleaning up');
      }
    });
  };
  for (const cases of CASES) cases(define);
}
