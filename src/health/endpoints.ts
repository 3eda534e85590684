import type { Clock } from '../clock/clock.js';
import { refuseListener, type ApiHandler } from '../http/handler.js';
import type { ApiRequest } from '../http/request.js';
import type { ApiResponse } from '../http/response.js';
import { isTargetTooLarge, readablePart, decodePath, parseQuery, splitUrl, type Query } from '../http/url.js';
import type { Observe } from '../observe/observation.js';
import { asHead, audited, badTimeout, uncached, withinLimit, requestTimeout } from './adapt-response.js';
import { badPathText, notFoundText, TARGET_TOO_LARGE } from '../responses/fixed-responses.js';
import { chain, isPromise } from '../http/promise.js';
import type { Verdict } from './check-runner.js';
import type { HealthRoot } from './contract.js';
import { createProbeResults, reportOf, finished } from './evaluate.js';
import type { Evaluation, ProbeVerdict, FinishedEvaluation } from './evaluate.js';
import type { HealthOptions } from './options.js';
import type { AskPermission } from './permission.js';
import { ROOT_OK, checkText, rootJson, rootText } from './render.js';
import { rootOf } from './registry.js';

export interface EndpointsDependencies {
  readonly clock: Clock;
  readonly observe: Observe;
  readonly permission: AskPermission;
  readonly open: AskPermission;
  evaluate(root: HealthRoot, exclude: readonly string[]): Evaluation;
  /** Returns the verdict of one check of an endpoint; `undefined` if the endpoint has no check with that name. */
  evaluateOne(root: HealthRoot, name: string): Verdict | Promise<Verdict> | undefined;
}

type EventualResponse = ApiResponse | Promise<ApiResponse>;

const NO_VALUES: readonly string[] = Object.freeze([]);

export function createEndpoints(options: HealthOptions, dependencies: EndpointsDependencies): ApiHandler {
  const { clock, observe, permission, open, evaluate, evaluateOne } = dependencies;
  const { roots, verdictLine, auditIds, observe: hook } = options;
  const results = createProbeResults();

  function respondRoot(root: HealthRoot, query: Query, evaluation: Evaluation): EventualResponse {
    // Fast path for the probes of kubelets and load balancers: no parameters, no report, no text.
    if (query.size === 0 && passedSync(evaluation)) {
      reportProbe(root, evaluation);
      return ROOT_OK;
    }
    return chain(finished(evaluation), (ready) => {
      const report = reportOf(root, ready);
      reportProbe(root, ready);
      if (report.status === 'failed') {
        reportFailures(
          root,
          ready.runners.map(({ definition }) => definition.name),
          ready.verdicts,
        );
      }
      return query.get('format')?.[0] === 'json'
        ? rootJson(report)
        : rootText(report, query.has('verbose'), verdictLine === 'root');
    });
  }

  function respondCheck(root: HealthRoot, name: string, mayKnow: boolean): EventualResponse {
    const evaluated = evaluateOne(root, name);
    if (evaluated === undefined) return uncached(notFoundText());
    return chain(evaluated, (verdict) => {
      if (verdict.status === 'failed') reportFailures(root, [name], [verdict]);
      return checkText(verdict, mayKnow);
    });
  }

  function reportProbe(root: HealthRoot, evaluation: FinishedEvaluation): void {
    if (hook !== undefined) void observe({ type: 'health.probed', root, checks: results(root, evaluation) });
  }

  function reportFailures(root: HealthRoot, names: readonly string[], verdicts: readonly ProbeVerdict[]): void {
    const failures = verdicts.flatMap((verdict, index) => {
      if (verdict.status !== 'failed') return [];
      const { reason = '', error } = verdict;
      return [{ name: names[index] ?? '', reason, ...(error !== undefined && { error }) }];
    });
    void observe({ type: 'health.failed', root, failures });
  }

  function respond(request: ApiRequest, root: HealthRoot, path: string, rawQuery: string): EventualResponse {
    const query = parseQuery(rawQuery);
    const limit = requestTimeout(query.get('timeout')?.[0]);
    if (limit !== undefined && 'fault' in limit) return badTimeout(limit.fault);
    const isRoot = path.length === root.length + 1;
    const permissionOf = isRoot && roots !== 'authorized' ? open : permission;
    const response = chain(permissionOf(request, path), (permitted): EventualResponse => {
      if (!permitted.granted) return permitted.refusal;
      if (!isRoot) return respondCheck(root, path.slice(root.length + 2), permitted.mayKnow);
      return respondRoot(root, query, evaluate(root, query.get('exclude') ?? NO_VALUES));
    });
    return withinLimit(response, limit?.ms, clock);
  }

  function finish(request: ApiRequest, response: ApiResponse): ApiResponse {
    const shaped = request.method === 'HEAD' ? asHead(response) : response;
    return auditIds === true ? audited(request, shaped) : shaped;
  }

  return (request, given?: unknown) => {
    refuseListener(given);
    const target = splitUrl(request.url);
    const path = decodePath(readablePart(target.path));
    if (path === undefined) {
      if (rootOf(target.path) === undefined) return undefined;
      return finish(request, uncached(badPathText()));
    }
    const root = rootOf(path);
    if (root === undefined) return undefined;
    if (isTargetTooLarge(request.url)) return finish(request, uncached(TARGET_TOO_LARGE));
    return chain(respond(request, root, path, target.query), (response) => finish(request, response));
  };
}

/** True if every verdict is available and none failed. */
function passedSync(evaluation: Evaluation): evaluation is FinishedEvaluation {
  return evaluation.verdicts.every((verdict) => !isPromise(verdict) && verdict.status !== 'failed');
}
