import type { Observation } from '../observe/observation.js';
import type { HealthRoot } from './contract.js';
import type { ProbeVerdict, Settled } from './evaluate.js';

type Results = Extract<Observation, { readonly type: 'health.probed' }>['checks'];

/**
 * Makes the results that a probe is observed with. While no check is added, removed, or changes its status, they are the same
 * frozen array: making one of eleven checks, and finding the metrics for it, took 15 µs of a probe's 50.
 */
export function createProbeResults(): (root: HealthRoot, asked: Settled) => Results {
  const last = new Map<HealthRoot, { readonly of: Settled; readonly results: Results }>();
  return (root, of) => {
    const known = last.get(root);
    if (known?.of.runners === of.runners && sameStatuses(known.of.verdicts, of.verdicts)) return known.results;
    const results = Object.freeze(
      of.verdicts.flatMap(({ status }, index) =>
        status === 'excluded' ? [] : [Object.freeze({ name: of.runners[index]?.definition.name ?? '', status })],
      ),
    );
    last.set(root, { of, results });
    return results;
  };
}

const sameStatuses = (one: readonly ProbeVerdict[], other: readonly ProbeVerdict[]): boolean =>
  one.every(({ status }, index) => status === other[index]?.status);
