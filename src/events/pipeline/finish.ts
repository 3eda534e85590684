import { NO_CACHE, GATEWAY_TIMEOUT } from '../../responses/fixed-responses.js';
import { warningHeader } from '../../api/status/warnings.js';
import type { ApiResponse } from '../../http/response.js';
import type { RequestContext } from './request-context.js';
import { negotiationInputs } from '../../api/representation/choice.js';
import { respondFailure } from '../../api/representation/respond.js';
import { badRequest, internalError, tooLarge } from '../../api/status/failures.js';
import { isStatusFailure, type StatusFailure } from '../../api/status/status-failure.js';
import { isBodyError } from '../../http/body.js';
import { isStoreError } from '../../store/contract/errors.js';
import { StreamedResponse } from '../request/streamed-response.js';
import { storeFailure } from '../request/store-failures.js';
import { HookFailure } from './observed-authorizer.js';
import { APPLY_TYPE } from '../../api/patch/apply-patch.js';
import { isBytes } from '../../http/bytes.js';
import { header } from '../../http/headers.js';
import type { RequestObservation } from '../../observe/observation.js';
import { reportedScope, servedAs } from '../request/scope.js';
import { byteLength } from '../../json/utf8.js';

/** Completes a request: ends it unless a stream continues, reports it, and adds the common headers. */
export function finish(context: RequestContext, response: ApiResponse): ApiResponse {
  const { status, headers: own, body, release } = response;
  const { life, auditId } = context;
  // A stream with a deadline has a signal, which reading the property would create.
  const livesOn = 'signal' in response;
  if (!livesOn) life.finish();
  reportRequest(context, response);
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': auditId,
    'cache-control': NO_CACHE,
    ...own,
  };
  const warnings = warningHeader(context.warnings);
  if (warnings.length > 0) headers['warning'] = warnings;
  if (livesOn) return new StreamedResponse(life, status, headers, body);
  return release === undefined ? { status, headers, body } : { status, headers, body, release };
}

export async function refuse(context: RequestContext, error: unknown): Promise<ApiResponse> {
  const { dependencies, life, caller } = context;
  // An unauthenticated client waits for the turn of its address, because refusals cost other callers time, too.
  if (caller === undefined) await dependencies.limits.turn(undefined, life);
  return finish(context, await errorResponse(context, error));
}

async function errorResponse(context: RequestContext, error: unknown): Promise<ApiResponse> {
  if (context.life.isReason(error)) return GATEWAY_TIMEOUT;
  const { status, headers } = statusFailureOf(context, error);
  const response = await respondFailure(status, negotiationInputs(context.request.headers, context.query));
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** Returns the Status for an error of any step. An unexpected one is reported and becomes a 500 without details. */
function statusFailureOf({ dependencies, scope }: RequestContext, error: unknown): StatusFailure {
  if (isStatusFailure(error)) return error;
  if (error instanceof HookFailure) return internalError();
  if (isStoreError(error)) {
    return storeFailure(error, { group: scope?.group ?? '', resource: 'events' }, scope?.name ?? '');
  }
  if (isBodyError(error)) {
    return error.code === 'too-large'
      ? tooLarge(`limit is ${error.limit ?? 0}`)
      : badRequest('the request body ended before it was complete');
  }
  dependencies.notify({ type: 'error', error, where: 'events' });
  return internalError();
}

function reportRequest(context: RequestContext, { status, body }: ApiResponse): void {
  const { dependencies, started, request, scope: asked, caller, impersonator } = context;
  if (started === undefined) return;
  // Only served versions, because clients could invent any number of others below the group.
  const isServed = asked?.routed && servedAs(asked.group, asked.version, dependencies.versions) !== undefined;
  const scope = isServed ? asked : undefined;
  const verb = asked?.verb || request.method.toLowerCase();
  // One object literal without spreads or later additions, because this takes a twentieth of the time of every get.
  const observation = {
    type: 'request',
    verb,
    status,
    durationMs: dependencies.clock.monotonic() - started,
    auditId: context.auditId,
    caller: caller?.name,
    url: request.url,
    group: scope?.group ?? '',
    version: scope?.version ?? '',
    resource: scope === undefined ? '' : 'events',
    namespace: scope?.namespace ?? '',
    scope: reportedScope(scope),
    dryRun: dryRunOf(context),
    isApply: verb === 'patch' && header(request, 'content-type') === APPLY_TYPE,
    responseBytes: lengthOf(body),
  } as const satisfies RequestObservation;
  dependencies.notify(impersonator === undefined ? observation : { ...observation, impersonator: impersonator.name });
}

function lengthOf(body: ApiResponse['body']): number | undefined {
  if (typeof body === 'string') return byteLength(body);
  return isBytes(body) ? body.byteLength : undefined;
}

function dryRunOf({ query }: RequestContext): RequestObservation['dryRun'] {
  const values = query.size === 0 ? undefined : query.get('dryRun');
  if (values === undefined) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}
