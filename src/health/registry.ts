import type { CheckRunner } from './check-runner.js';
import type { HealthRoot } from './contract.js';
import { ROOTS } from './definition.js';

/** Creates the list of checks: the built-in ones `first`, the added ones in order of registration, and `last`. */
export function createRegistry(first: readonly CheckRunner[], last: readonly CheckRunner[]) {
  const builtIn = new Map([...first, ...last].map((runner) => [runner.definition.name, runner]));
  const added = new Map<string, CheckRunner>();
  // Sorted on the next read: adding a thousand checks sorts once.
  let byRoot: ReturnType<typeof sort> | undefined;

  function sort(): Readonly<Record<HealthRoot, readonly CheckRunner[]>> {
    const all = [...first, ...added.values(), ...last];
    const of = (root: HealthRoot): CheckRunner[] => all.filter((runner) => runner.definition.endpoints.includes(root));
    return { healthz: of('healthz'), livez: of('livez'), readyz: of('readyz') };
  }

  return {
    /** The array is never changed: checks may be added and removed during a loop over it. */
    of: (root: HealthRoot): readonly CheckRunner[] => (byRoot ??= sort())[root],
    find(root: HealthRoot, name: string): CheckRunner | undefined {
      const runner = added.get(name) ?? builtIn.get(name);
      return runner?.definition.endpoints.includes(root) ? runner : undefined;
    },
    has: (name: string): boolean => added.has(name) || builtIn.has(name),
    add(runner: CheckRunner): void {
      added.set(runner.definition.name, runner);
      byRoot = undefined;
    },
    remove(name: string): CheckRunner | undefined {
      const runner = added.get(name);
      added.delete(name);
      byRoot = undefined;
      return runner;
    },
    isBuiltIn: (name: string): boolean => builtIn.has(name),
    added: (): readonly CheckRunner[] => [...added.values()],
  };
}

/** `ROOTS.find` would take 0.3 µs, because the array is frozen, and this also runs for requests to the Event API. */
const AT_ROOT = new RegExp(`^/(${ROOTS.join('|')})(?![^/])`);

export function rootOf(path: string): HealthRoot | undefined {
  return AT_ROOT.exec(path)?.[1] as HealthRoot | undefined;
}
