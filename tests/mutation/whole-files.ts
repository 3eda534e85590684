// For `npm run mutation -- --whole`: code that one test of a file executes counts as executed by all of them, because a
// value that is computed once, on first use, is made by the first test and read by the others.
import { afterAll, beforeEach, inject } from 'vitest';

/** What Stryker's setup keeps of a first run: how often each test executed each mutant. */
interface Executions {
  readonly currentTestId?: string;
  readonly mutantCoverage?: { readonly perTest: Record<string, Record<string, number>> };
}

const stryker = (): Executions | undefined =>
  (globalThis as Readonly<Record<string, Executions | undefined>>)[inject('globalNamespace' as never)];

const tests: string[] = [];
beforeEach(() => {
  const id = stryker()?.currentTestId;
  if (id !== undefined) tests.push(id);
});
afterAll(() => {
  const perTest = stryker()?.mutantCoverage?.perTest;
  if (perTest === undefined) return;
  const all = Object.assign({}, ...Object.values(perTest)) as Record<string, number>;
  for (const id of tests) perTest[id] = all;
});
