import { requestTimeoutMs } from '../../api/options/query.js';
import { auditIdOf } from '../../http/headers.js';
import { chain, settle } from '../../http/promise.js';
import type { ApiRequest } from '../../http/request.js';
import type { ApiResponse } from '../../http/response.js';
import { decodePath, isTargetTooLarge, NO_QUERY, parseQuery, readablePart, splitUrl } from '../../http/url.js';
import { NOSNIFF, TARGET_TOO_LARGE } from '../../responses/fixed-responses.js';
import type { Caller } from '../../model/caller.js';
import { authorize } from '../request/call.js';
import { RequestLife } from '../request/request-life.js';
import { ownsPath, scopeOf } from '../request/scope.js';
import { dispatch } from './dispatch.js';
import { finish, refuse } from './finish.js';
import { withInFlightLimit } from './in-flight-limit.js';
import { attributesOf, type PipelineDependencies, type RequestContext } from './request-context.js';
import { unauthorized } from '../../api/status/failures.js';
import { statusFailure } from '../../api/status/status-failure.js';
import { bearerWarning } from '../../auth/bearer-token.js';

/**
 * Handles a request to the Event API; returns `undefined` for paths of other handlers. Synchronous unless a step has to
 * wait: a promise makes a get, which takes 20 µs, slower by 3 µs, because Node then sends the response in another turn
 * of the event loop, and because the request needs a deadline. `preset`: a caller that needs no authentication.
 */
export function handleRequest(
  dependencies: PipelineDependencies,
  request: ApiRequest,
  preset: Caller | undefined,
): ApiResponse | Promise<ApiResponse> | undefined {
  const { path: raw, query } = splitUrl(request.url);
  const path = decodePath(readablePart(raw)) ?? raw;
  const { versions, documents, clock } = dependencies;
  if (!versions.some((version) => ownsPath(version, path)) && !documents.claims(path, request.hasNext === true)) {
    return undefined;
  }
  const tooLarge = isTargetTooLarge(request.url);
  const context: RequestContext = {
    dependencies,
    request,
    preset,
    life: new RequestLife(request, clock),
    path,
    query: tooLarge ? NO_QUERY : parseQuery(query),
    warnings: [],
    auditId: auditIdOf(request, dependencies.uids),
    started: dependencies.watchObserver ? clock.monotonic() : undefined,
    scope: undefined,
    caller: undefined,
    impersonator: undefined,
  };
  return tooLarge ? finish(context, TARGET_TOO_LARGE) : settle(context, runSteps, finish, refuse);
}

/** Runs the steps in order. The first one that throws determines the response. */
function runSteps(context: RequestContext): ApiResponse | Promise<ApiResponse> {
  parseTarget(context);
  const response = chain(authenticate(context), (authenticated) =>
    chain(impersonate(context, authenticated), (caller) =>
      withInFlightLimit(context, caller, (place) =>
        chain(authorize(context.dependencies.access, caller, attributesOf(context)), () =>
          dispatch(context, caller, place),
        ),
      ),
    ),
  );
  return context.life.responseOf(response);
}

/** Sets the scope and the deadline. @throws StatusFailure 400 */
function parseTarget(context: RequestContext): void {
  const { dependencies, request, path, query, life } = context;
  const { versions, maxSelectorTerms, requestTimeoutMs: defaultMs } = dependencies;
  context.scope = scopeOf(request.method, path, query, versions, maxSelectorTerms);
  // A watch is limited until it begins to stream, and kube-apiserver does not read its `timeout`.
  life.limit(context.scope?.verb === 'watch' ? defaultMs : requestTimeoutMs(query, defaultMs));
}

/** Sets the caller. @throws StatusFailure 401 */
function authenticate(context: RequestContext): Caller | Promise<Caller> {
  const { dependencies, request, preset, warnings } = context;
  return chain(preset ?? dependencies.access.authenticate(request), (caller) => {
    if (!caller) throw unauthorized();
    context.caller = caller;
    const extraSpace = preset ? undefined : bearerWarning(request);
    if (extraSpace) warnings.push(extraSpace);
    return caller;
  });
}

/** Replaces the caller by the user that the request impersonates, if any. @throws StatusFailure 400, 403 */
function impersonate(context: RequestContext, authenticated: Caller): Caller | Promise<Caller> {
  const { access } = context.dependencies;
  return chain(access.impersonate(context.request, authenticated, attributesOf(context)), (impersonated) => {
    if ('refused' in impersonated) throw statusFailure(impersonated.refused, NOSNIFF);
    const { caller } = impersonated;
    if (caller !== authenticated) [context.caller, context.impersonator] = [caller, authenticated];
    return caller;
  });
}
