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
import { StreamedAnswer } from '../request/limited-stream.js';
import { storeFailure } from '../request/store-failures.js';
import { HookFailure } from './observed-authorizer.js';
import { reportRequest } from './request-report.js';

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
  if (livesOn) return new StreamedAnswer(life, status, headers, body);
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
