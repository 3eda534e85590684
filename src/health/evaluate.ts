import { roundedMs } from '../clock/clock.js';
import { byCodePoint } from '../json/code-point-order.js';
import { isPromise } from '../http/promise.js';
import type { Observation } from '../observe/observation.js';
import { OK, type CheckRunner, type Verdict } from './check-runner.js';
import type { CheckReport, CheckStatus, HealthReport, HealthRoot } from './contract.js';

export type ProbeVerdict =
  Verdict | { readonly status: 'excluded'; readonly excludedBy?: string; readonly error?: never };

/** The checks of an endpoint and their verdicts, in the same order. */
export interface Evaluation {
  readonly runners: readonly CheckRunner[];
  readonly verdicts: readonly (ProbeVerdict | Promise<ProbeVerdict>)[];
  /** Values of `exclude` that matched nothing, sorted. */
  readonly unmatchedExcludes: readonly string[];
}

export type FinishedEvaluation = Omit<Evaluation, 'verdicts'> & { readonly verdicts: readonly ProbeVerdict[] };

/** The livez grace period: which checks of which endpoint have one, and whether it has not ended yet. */
export interface GracePeriod {
  applies(root: HealthRoot, runner: CheckRunner): boolean;
  lasts(runner: CheckRunner): boolean;
}

const NOTHING: readonly string[] = Object.freeze([]);
const EXCLUDED: ProbeVerdict = Object.freeze({ status: 'excluded' });

export function evaluateOne(
  root: HealthRoot,
  runner: CheckRunner,
  gracePeriod: GracePeriod,
): Verdict | Promise<Verdict> {
  return gracePeriod.applies(root, runner) && gracePeriod.lasts(runner) ? OK : runner.ask();
}

export function evaluateAll(
  root: HealthRoot,
  runners: readonly CheckRunner[],
  exclude: readonly string[],
  gracePeriod: GracePeriod,
): Evaluation {
  const one = (runner: CheckRunner): Verdict | Promise<Verdict> => evaluateOne(root, runner, gracePeriod);
  if (exclude.length === 0) return { runners, verdicts: runners.map(one), unmatchedExcludes: NOTHING };

  const excluded = new Set(exclude);
  const unmatched = new Set(exclude);
  const verdicts = runners.map((runner): ProbeVerdict | Promise<ProbeVerdict> => {
    const { name } = runner.definition;
    if (excluded.has(name)) {
      unmatched.delete(name);
      return EXCLUDED;
    }
    // Kubernetes wraps a check that has a grace period, and the wrapper has no group.
    const group = gracePeriod.applies(root, runner) ? undefined : runner.definition.group;
    if (group !== undefined && excluded.has(group)) {
      unmatched.delete(group);
      return { status: 'excluded', excludedBy: group };
    }
    return one(runner);
  });
  return { runners, verdicts, unmatchedExcludes: [...unmatched].sort(byCodePoint) };
}

export function finished(evaluation: Evaluation): FinishedEvaluation | Promise<FinishedEvaluation> {
  if (!evaluation.verdicts.some(isPromise)) return evaluation as FinishedEvaluation;
  // `Promise.all` takes values, too.
  const settled = Promise.all(evaluation.verdicts as readonly Promise<ProbeVerdict>[]);
  return settled.then((verdicts) => ({ ...evaluation, verdicts }));
}

/** Creates the report, without the errors that checks have thrown: errors of HTTP clients may contain credentials. */
export function reportOf(root: HealthRoot, evaluation: FinishedEvaluation): HealthReport {
  let status: CheckStatus = 'ok';
  const checks = evaluation.verdicts.map(({ error: _error, ...verdict }, index): CheckReport => {
    if (verdict.status === 'failed' || (verdict.status === 'degraded' && status === 'ok')) status = verdict.status;
    const { definition, facts } = evaluation.runners[index] as CheckRunner;
    const { durationMs, since } = facts();
    return {
      name: definition.name,
      ...verdict,
      ...(durationMs !== undefined && { durationMs: roundedMs(durationMs) }),
      ...(since !== undefined && { since: new Date(since / 1000).toISOString() }),
    };
  });
  return { root, status, checks, unmatchedExcludes: evaluation.unmatchedExcludes };
}

type Results = Extract<Observation, { readonly type: 'health.probed' }>['checks'];

/** The results for `observe`: the same frozen array until a status changes, which saves 15 of the 50 µs of a probe. */
export function createProbeResults(): (root: HealthRoot, of: FinishedEvaluation) => Results {
  const last = new Map<HealthRoot, { readonly of: FinishedEvaluation; readonly results: Results }>();
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
